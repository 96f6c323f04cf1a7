/* container: from a node embedded in a struct back to the struct.
 *
 * List, heap and map are intrusive: the struct has the node as a member, so that putting it into a container
 * allocates nothing, and it can be taken out again in a known time.
 */
#ifndef BASE_CONTAINER_H
#define BASE_CONTAINER_H

#include <stddef.h>

/* The struct of that type whose member the node is; node is not NULL.
 *     struct job *job = CONTAINER_OF(node, struct job, by_due); */
#define CONTAINER_OF(node, type, member) ((type *)(void *)((char *)(node)-offsetof(type, member)))

/* The same for a pointer to const. */
#define CONTAINER_OF_CONST(node, type, member)                                                                         \
    ((const type *)(const void *)((const char *)(node)-offsetof(type, member)))

#endif
