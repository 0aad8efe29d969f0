/* A user namespace in which a user who is not root may mount. */
#ifndef WARDER_NAMESPACE_H
#define WARDER_NAMESPACE_H

#include <stdbool.h>

/* This process goes into a user namespace and a mount namespace of its own. */
bool make_namespace(void);

#endif
