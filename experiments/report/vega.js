/* Vega's modules as Debian packages them, one by one: each is a function of (module, exports, require), called when first needed. */
globalThis.poiseVega = (() => {
  const alias = { "vega-selections": "vega-selection" };
  const loaded = {};
  const need = name => {
    name = alias[name] || name;
    if (!loaded[name]) {
      const module = { exports: {} };
      loaded[name] = module;
      poiseModules[name].call(globalThis, module, module.exports, need);
    }
    return loaded[name].exports;
  };
  const { transforms } = need("vega-dataflow");
  Object.assign(transforms, need("vega-transforms"), need("vega-view-transforms"), need("vega-encode"));
  return { View: need("vega-view").View, parse: need("vega-parser").parse, interpreter: need("vega-interpreter").expressionInterpreter };
})();
