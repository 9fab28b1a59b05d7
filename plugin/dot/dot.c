/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dot.c - writes a planned picture (dot_plan.h) as DOT through Graphviz' cgraph. No other file uses
 * cgraph.
 *
 * Threads: cgraph formats strings and counts indentation in static buffers, so only one thread at a
 * time may call it. A lock here ensures that for calls of etr_emit_dot(). A program that uses
 * cgraph itself must not do so while etr_emit_dot() runs in another thread, and a sink must not
 * call etr_emit_dot().
 */

#include "base/writer.h"
#include "dot/dot_plan.h"
#include "views/heat.h"

#include <graphviz/cgraph.h>
#include <pthread.h>
#include <stdlib.h>

enum { MANY_BOXES = 300 /* from here on dot's default layout takes seconds to minutes */ };

static pthread_mutex_t cgraph_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- Disciplines: functions that cgraph calls back ---- */

/* cgraph's own ids are addresses of names, and it writes subgraphs in the order of their ids.
 * Numbers are used as ids instead, so that the output is the same every time. Names are made from
 * the numbers. */
typedef struct dot_disc {
  Agdisc_t base; /* the first member, so that id_open() can cast it back */
  Agraph_t *root;
  IDTYPE edge_count;
  char **cluster_names,
      **box_names; /* by id; made at the first request, because cgraph asks many times */
} dot_disc;

enum { ROOT_ID = 0 };
#define CLUSTER "cluster_" /* before the number of a scope; its id is that number plus 1 */
#define NODE_BOX "n"       /* before the number of a node */
#define FOLDED_BOX "s"     /* before the number of a scope */

/* cgraph calls this when a graph is opened, and gives the other functions what it returns. */
static void *id_open(Agraph_t *root, Agdisc_t *disc) {
  dot_disc *state = (dot_disc *)disc;
  state->root = root;
  return state;
}

/* Writes a prefix and a number, "n12", and a zero byte to `to`, which has room for both. */
static void write_numbered_name(char *to, const char *prefix, uint64_t number) {
  size_t size = strlen(prefix);
  memcpy(to, prefix, size);
  size += etr_format_uint(to + size, number);
  to[size] = '\0';
}

/* Returns the name of the box or cluster with this id; NULL for an edge, which has none. It is made
 * once, as one of cgraph's own strings, which agclose() frees, because cgraph reads in front of a
 * name whether it is HTML. */
static char *id_print(void *context, int type, IDTYPE id) {
  dot_disc *state = context;
  if (type != AGNODE && type != AGRAPH)
    return NULL; /* edges have no names */
  char **printed = type == AGNODE ? &state->box_names[id] : &state->cluster_names[id];
  char name[32] = "etrecord"; /* of the root */
  if (*printed)
    return *printed;
  if (type == AGNODE)
    write_numbered_name(name, id % 2 == 0 ? NODE_BOX : FOLDED_BOX, id / 2);
  else if (id != ROOT_ID)
    write_numbered_name(name, CLUSTER, id - 1);
  *printed = agstrdup(state->root, name);
  return *printed;
}

/* Sets *id to the id of an object: of a box twice its number, plus 1 for that of a closed scope; of
 * a cluster its number plus 1; of an edge, which has no name, the next number. Returns 1 for
 * success. Objects are made by name, because Graphviz 13 and later do not make them by an id of the
 * caller. */
static long id_map(void *context, int type, char *name, IDTYPE *id, int create) {
  dot_disc *state = context;
  (void)create; /* edges are only requested with it */
  if (type == AGEDGE)
    *id = state->edge_count++;
  else if (type == AGNODE)
    *id = (IDTYPE)strtoul(name + 1, NULL, 10) * 2 + (name[0] == FOLDED_BOX[0]);
  else
    *id = strncmp(name, CLUSTER, sizeof CLUSTER - 1) == 0
              ? (IDTYPE)strtoul(name + sizeof CLUSTER - 1, NULL, 10) + 1
              : ROOT_ID;
  return 1;
}

/* An id needs no memory, so there is nothing to free. */
static void id_free(void *state, int type, IDTYPE id) {
  (void)state;
  (void)type;
  (void)id;
}

static void id_close(void *state) {
  (void)state;
}

/* cgraph reports each new object, which is of no use here. */
static void id_register(void *state, int type, void *object) {
  (void)state;
  (void)type;
  (void)object;
}

/* Writes a text. It never reports a failure to agwrite(), which would stop and leave its static
 * line length set. The writer remembers the failure. */
static int io_putstr(void *channel, const char *text) {
  etr_puts(channel, text);
  return 0;
}

static int io_flush(void *channel) {
  (void)channel;
  return 0;
}

static int ignore_message(char *message) {
  (void)message;
  return 0;
}

/* ---- Attributes ---- */

typedef struct attribute {
  char *name, *value; /* cgraph's type is not const, but it changes nothing */
} attribute;

#define NEXT_COLOR "#7c3aed" /* color of an edge into the next equal block */

static char font[] = "Helvetica,Arial,sans-serif";

static const attribute graph_attributes[] = {
    {"linelength", "0"}, /* no line breaks inside strings */
    {"rankdir", "TB"},   {"fontname", font}, {"fontsize", "10"},  {"labelloc", "t"},
    {"labeljust", "l"},  {"nodesep", "0.2"}, {"ranksep", "0.35"}, {"style", ""},
    {"color", ""},       {"fillcolor", ""},  {"tooltip", ""},
};
static const attribute many_boxes_attributes[] = {
    {"splines", "polyline"}, {"nslimit", "1"}, {"nslimit1", "1"}, {"mclimit", "0.2"}};
static const attribute node_attributes[] = {
    {"shape", "box"},         {"style", "filled"},     {"fontname", font},
    {"fontsize", "10"},       {"margin", "0.09,0.05"}, {"height", "0.2"},
    {"fillcolor", "#ffffff"}, {"color", "#9ca3af"},    {"fontcolor", "#111827"},
    {"penwidth", "1"},        {"label", ""},           {"tooltip", ""},
};
static const attribute edge_attributes[] = {
    {"color", "#7c8694"}, {"arrowsize", "0.6"}, {"penwidth", "1"}, {"style", ""}};
static const attribute folded_attributes[] = {{"ranksep", "0.2"}}; /* for a page */
static const attribute next_edge_attributes[] = {{"constraint", "true"},
                                                 {"label", ""},
                                                 {"fontname", font},
                                                 {"fontsize", "9"},
                                                 {"fontcolor", NEXT_COLOR}};

/* Declares attributes of graphs, nodes or edges, with their defaults. */
static void declare_list(Agraph_t *root, int kind, const attribute *attributes, size_t count) {
  for (size_t i = 0; i < count; i++)
    (void)agattr(root, kind, attributes[i].name, attributes[i].value);
}

/* Sets an attribute of an object; does nothing if the value is NULL, as when out of memory. */
static void set_attribute(void *object, char *name, const char *value) {
  if (value != NULL)
    (void)agset(object, name, (char *)(uintptr_t)value);
}

/* Declares the attributes that are used, with their defaults, because cgraph sets no undeclared
 * ones, and sets the legend as the graph's label. Layout settings for many boxes, folded blocks and
 * loops are declared only if the plan has these. */
static void declare_attributes(const etr_dot_view *view, Agraph_t *root) {
  declare_list(root, AGRAPH, graph_attributes, ETR_COUNT(graph_attributes));
  if (view->plan->box_count > MANY_BOXES)
    declare_list(root, AGRAPH, many_boxes_attributes, ETR_COUNT(many_boxes_attributes));
  declare_list(root, AGNODE, node_attributes, ETR_COUNT(node_attributes));
  declare_list(root, AGEDGE, edge_attributes, ETR_COUNT(edge_attributes));
  if (view->plan->folded > 0)
    declare_list(root, AGRAPH, folded_attributes, ETR_COUNT(folded_attributes));
  if (view->plan->folded > 0 || view->plan->has_loops)
    declare_list(root, AGEDGE, next_edge_attributes, ETR_COUNT(next_edge_attributes));
  char *legend = etr_dot_legend(view);
  if (legend != NULL)
    (void)agattr(root, AGRAPH, "label", agstrdup_html(root, legend));
}

/* ---- Objects ---- */

typedef struct dot_drawing {
  const etr_dot_view *view;
  Agraph_t *root;
  Agraph_t **clusters; /* one per scope; NULL if it is not a cluster */
  Agnode_t **boxes;
} dot_drawing;

/* Returns the cluster of a scope; the whole graph for ETR_NONE. */
static Agraph_t *graph_of_cluster(const dot_drawing *drawing, uint32_t scope) {
  return scope == ETR_NONE ? drawing->root : drawing->clusters[scope];
}

/* Draws the cluster around the boxes of each module or nested graph that is open, the outer ones
 * first, as a cluster is created (agsubg() with 1) in the one around it. */
static void draw_clusters(dot_drawing *drawing) {
  static const char *const backgrounds[] = {
      "#f8fafc", "#f1f5f9"}; /* used in turns, so that nested clusters can be distinguished */
  const etr_dot_plan *plan = drawing->view->plan;
  for (uint32_t i = 0; i < plan->scopes.count; i++) {
    if (plan->cluster_of[i] != i)
      continue;
    const etr_scope *scope = &plan->scopes.list[i];
    uint32_t outer = scope->parent == ETR_NONE ? ETR_NONE : plan->cluster_of[scope->parent];
    char name[32];
    write_numbered_name(name, CLUSTER, i);
    Agraph_t *cluster = agsubg(graph_of_cluster(drawing, outer), name, 1);
    drawing->clusters[i] = cluster;
    set_attribute(cluster, "label", etr_dot_cluster_label(drawing->view, i));
    set_attribute(cluster, "tooltip", etr_dot_scope_tooltip(drawing->view, i));
    set_attribute(cluster, "style",
                  scope->kind == ETR_SCOPE_MODULE ? "filled,rounded" : "filled,rounded,dashed");
    set_attribute(cluster, "color", "#cbd5e1");
    set_attribute(cluster, "fillcolor", backgrounds[scope->depth % ETR_COUNT(backgrounds)]);
  }
}

/* Sets the colors of a box: of the ramp by its time or error, gray if it was not timed in a picture
 * of times, and a thick border in the color of its delegate. */
static void set_box_colors(const etr_dot_view *view, Agnode_t *node, const etr_dot_box *box) {
  const etr_dot_sum *sum = &box->sum;
  if (etr_dot_is_colored(view->plan, box)) {
    double heat = view->plan->by_accuracy ? etr_accuracy_heat(sum->gap)
                                          : etr_dot_heat(view->plan, sum->ticks);
    set_attribute(node, "fillcolor", etr_heat_color(heat).text);
  } else if ((view->plan->total.timed || view->plan->by_accuracy) && sum->ops > 0) {
    set_attribute(node, "color", "#d1d5db");
    set_attribute(node, "fontcolor", "#6b7280");
  }
  if (sum->delegate != ETR_NONE) {
    set_attribute(node, "color", etr_delegate_color(sum->delegate));
    set_attribute(node, "penwidth", "2");
  }
}

/* Draws the boxes of nodes, of sequences of nodes, and of closed scopes. Those of several nodes are
 * rounded, dashed if only some of their operators are delegated; nodes that are no operators are
 * ellipses. */
static void draw_boxes(dot_drawing *drawing) {
  const etr_dot_view *view = drawing->view;
  for (size_t i = 0; i < view->plan->box_count; i++) {
    const etr_dot_box *box = &view->plan->boxes[i];
    const etr_dot_sum *sum = &box->sum;
    char name[32];
    if (box->node != ETR_NONE)
      write_numbered_name(name, NODE_BOX, box->node);
    else
      write_numbered_name(name, FOLDED_BOX, box->scope);
    Agnode_t *node = agnode(drawing->root, name, 1);
    if (box->cluster != ETR_NONE)
      (void)agsubnode(graph_of_cluster(drawing, box->cluster), node, 1);
    drawing->boxes[i] = node;
    set_attribute(node, "label", etr_dot_box_label(view, box));
    set_attribute(node, "tooltip", etr_dot_box_tooltip(view, box));
    set_box_colors(view, node, box);
    if (box->node == ETR_NONE || etr_dot_is_run(box)) {
      bool is_partly_delegated = sum->delegated > 0 && sum->delegated < sum->ops;
      set_attribute(node, "style",
                    is_partly_delegated ? "filled,rounded,dashed" : "filled,rounded");
    } else if (view->graph->nodes[box->node].kind != ETR_NODE_OP) {
      set_attribute(node, "shape", "ellipse");
    }
  }
}

/* Draws the edges: wider with more uses, dashed from a node to the graph that it contains (0 uses),
 * and labeled between the steps and passes of loops, where they do not affect the layout. Edges
 * have no name (NULL). */
static void draw_edges(dot_drawing *drawing) {
  static const char *const widths[] = {"1", "1.3", "1.6", "1.8", "2"}; /* by uses */
  const etr_dot_plan *plan = drawing->view->plan;
  for (size_t i = 0; i < plan->edge_count; i++) {
    const etr_dot_edge *planned = &plan->edges[i];
    Agedge_t *edge = agedge(drawing->root, drawing->boxes[planned->tail],
                            drawing->boxes[planned->head], NULL, 1);
    if (planned->uses == 0)
      set_attribute(edge, "style", "dashed");
    if (planned->is_next || planned->is_loop) {
      set_attribute(edge, "color", NEXT_COLOR);
      set_attribute(edge, "label", planned->is_next ? "  next" : "  next pass");
      set_attribute(edge, "constraint", "false");
    }
    if (planned->uses > 1)
      set_attribute(edge, "penwidth",
                    widths[ETR_MIN(planned->uses, (uint32_t)ETR_COUNT(widths)) - 1]);
  }
}

/* Draws the graph through Graphviz' library into a writer. Names of boxes and clusters are listed
 * by their ids: see id_map(). Returns ETR_ERROR_MEMORY when out of memory. The caller holds the
 * lock. */
static etr_status draw_graph(const etr_dot_view *view, etr_writer *writer) {
  Agiddisc_t ids = {.open = id_open,
                    .map = id_map,
                    .free = id_free,
                    .print = id_print,
                    .close = id_close,
                    .idregister = id_register};
  Agiodisc_t io = {.putstr = io_putstr, .flush = io_flush};
  dot_disc disc = {.base = {.id = &ids, .io = &io}};
  dot_drawing drawing = {.view = view};
  size_t scopes = view->plan->scopes.count;
  drawing.clusters = etr_arena_alloc_array(view->arena, scopes, sizeof *drawing.clusters);
  drawing.boxes = etr_arena_alloc_array(view->arena, view->plan->box_count, sizeof *drawing.boxes);
  disc.cluster_names = etr_arena_alloc_array(view->arena, scopes + 1, sizeof *disc.cluster_names);
  disc.box_names = etr_arena_alloc_array(view->arena, 2 * ETR_MAX(view->graph->node_count, scopes),
                                         sizeof *disc.box_names);
  drawing.root = etr_arena_failed(view->arena) ? NULL : agopen("etrecord", Agdirected, &disc.base);
  if (drawing.root == NULL)
    return ETR_ERROR_MEMORY;
  declare_attributes(view, drawing.root);
  draw_clusters(&drawing);
  draw_boxes(&drawing);
  draw_edges(&drawing);
  if (!etr_arena_failed(view->arena))
    (void)agwrite(drawing.root, writer);
  (void)agclose(drawing.root);
  return etr_arena_failed(view->arena) ? ETR_ERROR_MEMORY : ETR_OK;
}

etr_status etr_dot_write(const etr_profile *profile, size_t graph, const etr_scopes *scopes,
                         const etr_dot_options *options, const etr_sink *sink, etr_error *error) {
  const etr_graph *drawn_graph = &profile->graphs[graph];
  etr_arena arena;
  etr_arena_init(&arena);
  etr_dot_plan plan = {.scopes = *scopes};
  etr_dot_view view = {.profile = profile, .graph = drawn_graph, .plan = &plan, .arena = &arena};
  if (drawn_graph->profile_method != ETR_NONE)
    view.method = &profile->methods[drawn_graph->profile_method];
  etr_writer writer;
  etr_writer_init(&writer, sink);
  etr_status status = etr_dot_plan_build(&plan, &arena, profile, drawn_graph, options, error);
  if (status == ETR_OK) {
    (void)pthread_mutex_lock(&cgraph_lock);
    agusererrf old_handler = agseterrf(ignore_message);
    status = draw_graph(&view, &writer);
    (void)agseterrf(old_handler);
    (void)pthread_mutex_unlock(&cgraph_lock);
  }
  etr_arena_clear(&arena);
  if (status == ETR_ERROR_MEMORY)
    return etr_fail(error, status, NULL, NULL, ETR_NO_OFFSET, "out of memory");
  if (status != ETR_OK)
    return status;
  return etr_writer_finish(&writer, error);
}

etr_status etr_emit_dot(const etr_profile *profile, size_t graph, const etr_dot_options *options,
                        const etr_sink *sink, etr_error *error) {
  etr_arena arena = {0};
  etr_scopes scopes;
  const etr_graph *drawn = &profile->graphs[graph];
  bool folds = options != NULL && options->fold;
  etr_status status = folds ? etr_scopes_build_to_fold(&scopes, &arena, drawn)
                            : etr_scopes_build(&scopes, &arena, drawn);
  if (status == ETR_OK)
    status = etr_dot_write(profile, graph, &scopes, options, sink, error);
  else
    status = etr_fail_memory(error);
  etr_arena_clear(&arena);
  return status;
}
