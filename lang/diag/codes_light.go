package diag

// LeftOut is the code of what a program that is built with the tag light lacks.
const LeftOut Code = "V0570"
