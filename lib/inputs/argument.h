#ifndef ETR_ARGUMENT_H
#define ETR_ARGUMENT_H
#include "base.h"
static inline const char *etr_node_argument(const etr_node *node, const char *name) { (void)node; (void)name; return NULL; }
#endif
