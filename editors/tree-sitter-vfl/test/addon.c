// The language as a module of Node, in the form in which tree-sitter's module takes it.
#include <node_api.h>

typedef struct TSLanguage TSLanguage;
const TSLanguage *tree_sitter_vfl(void);

// The tag by which tree-sitter's module tells a language from other pointers.
static const napi_type_tag tag = {0x8AF2E5212AD58ABF, 0xD5006CAD83ABBA16};

NAPI_MODULE_INIT() {
    napi_value language;
    napi_create_external(env, (void *)tree_sitter_vfl(), NULL, NULL, &language);
    napi_type_tag_object(env, language, &tag);
    napi_set_named_property(env, exports, "language", language);
    return exports;
}
