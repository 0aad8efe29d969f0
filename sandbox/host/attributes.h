/* What a file has beside its content, owner and mode: its access control list and its extended attributes. */
#ifndef WARDER_ATTRIBUTES_H
#define WARDER_ATTRIBUTES_H

#include <stdbool.h>

/*
 * Gives the open file `to` the list and the attributes of the file `name` in `parent`, whose place it takes. False when it cannot have them, or has not
 * the right to them; `what_was_wrong` says which.
 */
bool keep_attributes(int parent, const char *name, int to);

/*
 * Prints how the list and the attributes of the file `name` differ in two directories: `,+NAME`, `,-NAME`, `,~NAME` as the upper one has it alone, has it
 * not, or has another. `lower` is -1 where there is none.
 */
void print_attributes(int upper, int lower, const char *name);

#endif
