"""The large ones: hundreds of files, their own allocators, threads, sandboxes."""
from entry import Entry

CHROMIUM = r"""
echo "<html><body><h1>read</h1><script>document.write([1,2,3].map(x => x * 7));
document.title = 'done'</script>" >page.html
for i in $(seq 300); do echo "<p>$i $(sed -n ${i}p "$INPUT/words")</p>"; done >>page.html;
flags="--headless=new --disable-gpu --no-first-run --user-data-dir=$HOME/p"
flags+=" --disable-background-networking --disable-component-update --disable-dev-shm-usage --password-store=basic"
chromium $flags --dump-dom "file://$HOME/page.html" >dom 2>noise; echo $?; sed 1d dom | cksum; grep -c '<p>' dom
chromium $flags --dump-dom chrome://sandbox >sandbox 2>noise; echo $?
grep -o -E 'You are (not )?adequately sandboxed|Layer 1 Sandbox</td><td[^>]*>[A-Za-z]*' sandbox | sed 's/.*>//' |
sort -u
chromium $flags --window-size=300,200 --screenshot=a.png "file://$HOME/page.html" 2>noise; head -c 4 a.png | od -c
chromium $flags --no-pdf-header-footer --print-to-pdf=a.pdf "file://$HOME/page.html" 2>noise; head -c 5 a.pdf;
grep -a -c /Page a.pdf
"""

ENTRIES = [
    Entry("LibreOffice", "headless: text and table to PDF, ODT and back, CSV to ODS and back", r"""
export SAL_USE_VCLPLUGIN=svp
office() { soffice -env:UserInstallation=file://$HOME/profile --headless "$@" >noise 2>&1; echo $?; }
head -n 500 "$INPUT/words" >a.txt; head -n 300 "$INPUT/words" | tr ' ' , >t.csv; cp a.txt b.txt
office --convert-to pdf a.txt; head -c 5 a.pdf; grep -a -c '/Type */Page\b' a.pdf; wc -c <a.pdf | sed 's/...$/.../'
office --convert-to odt b.txt; rm b.txt; office --convert-to txt:Text b.odt; cksum b.txt
office --convert-to ods t.csv; rm t.csv; office --convert-to csv t.ods; cksum t.csv; office --convert-to pdf t.ods;
head -c 5 t.pdf
""", needs=("soffice",), version="dpkg-query -W -f='${Version}' libreoffice-core-nogui", as_user=True,
          reads=("soffice.bin",), timeout_s=600),
    Entry("chromium", "headless with its sandbox: DOM after scripts, chrome://sandbox, screenshot, PDF", CHROMIUM,
          needs=("chromium",), version="dpkg-query -W -f='${Version}' chromium", as_user=True, reads=("chromium",),
          slow_disk=False, timeout_s=600),
]
