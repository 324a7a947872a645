"""Editors."""
from entry import Entry

ENTRIES = [
    Entry("vim", "-es: substitute, sort, write, recover a swap file", r"""
mkdir out; cp "$INPUT/words" w; vim -Nu NONE -es -c '%s/a/AA/g' -c '1,100!sort' -c 'w! out/w' -c 'q!' w; echo $?
vim -Nu NONE -es -c 'r '"$INPUT/tree/folder1/file1" -c 'g/^5/d' -c 'w! out/x' -c 'q!' w;
vim -Nu NONE -es -c 'b:a=1' -c 'cq' w; echo $?
""", needs=("vim",), version="vim --version", reads=("vim",)),
    Entry("emacs", "--batch: insert, sort, replace, write, byte-compile", r"""
mkdir out
emacs -Q --batch "$INPUT/words" --eval '(progn (sort-lines nil (point-min) (point-max))
  (write-file "out/sorted"))' 2>/dev/null; echo $?
emacs -Q --batch --eval '(progn (insert-file-contents-literally (concat (getenv "INPUT") "/random") nil 4000 900000)
  (princ (md5 (current-buffer) nil nil (quote binary))))'
echo '(defun f (x) (* x 2))' >f.el; emacs -Q --batch -f batch-byte-compile f.el 2>/dev/null;
emacs -Q --batch -l ./f.elc --eval '(princ (f 21))'
""", needs=("emacs",), version="emacs --version", reads=("emacs",)),
]
