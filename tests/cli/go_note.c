/* An ordinary program with the note that Go's linker puts into its own. */
__asm__(
    ".pushsection .note.go.buildid, \"a\", %note\n"
    ".balign 4\n"
    ".long 4, 4, 4\n"
    ".asciz \"Go\\0\"\n"
    ".ascii \"abcd\"\n"
    ".popsection\n");

int main(void) { return 0; }
