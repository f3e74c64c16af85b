/* What a figure and its file say, as everybody who reads them asks for it: texts with the loops' variables in place,
 * and entries of its maps. */
#include <string.h>
#include "studies/repro/figure.h"

/* A variable's text in place of $NAME, of which the longest name counts; *at moves behind it. */
static const char *variable(const struct figure_scope *s, const char **at)
{
    size_t longest = 0, found = 0;
    for (size_t i = 0; i < s->n_vars; i++) {
        const size_t n = strlen(s->vars[i].name);
        if (n >= longest && n > 0 && strncmp(s->vars[i].name, *at + 1, n) == 0) longest = n, found = i;
    }
    if (longest == 0) return NULL;
    *at += longest + 1;
    return s->vars[found].text;
}

int figure_text(const struct figure_scope *s, const struct yaml_node *node, char *out, size_t size)
{
    size_t used = 0;
    if (node->kind != YAML_SCALAR) return figure_complain(s, node, "a text is needed here");
    for (const char *at = node->text; *at;) {
        const char *part = *at == '$' && at[1] != '{' ? variable(s, &at) : NULL;
        if (*at == '$' && at[1] != '{' && !part)
            return figure_complain(s, node, "'$' names a list of 'each' around this item, as in $point");
        const size_t n = part ? strlen(part) : 1;
        if (used + n + 1 > size) return figure_complain(s, node, "this text is too long");
        memcpy(out + used, part ? part : at++, n);
        used += n;
    }
    out[used] = '\0';
    return 0;
}

int figure_complain(const struct figure_scope *s, const struct yaml_node *node, const char *what)
{
    return yaml_error(s->file, node, s->err, "%s", what);
}

const struct yaml_node *figure_entry(const struct figure_scope *s, const char *map, const char *name)
{
    const struct yaml_node *own = yaml_get(yaml_get(s->figure, map), name);
    return own ? own : yaml_get(yaml_get(s->root, map), name);
}

const struct yaml_node *figure_setting(const struct figure_scope *s, const char *key)
{
    const struct yaml_node *own = yaml_get(s->figure, key);
    return own ? own : yaml_get(s->root, key);
}
