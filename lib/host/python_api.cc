#include "host/python_api.h"

#include "host/python_process.h"

namespace gapscope {
namespace {

template <typename F>
bool get(F& function, const char* name) {
  function = reinterpret_cast<F>(PythonProcess::symbol(name));
  return function != nullptr;
}

}  // namespace

bool PythonApi::find() {
  none = PythonProcess::symbol("_Py_NoneStruct");
  return none != nullptr && get(is_initialized, "Py_IsInitialized") &&
         (get(is_finalizing, "Py_IsFinalizing") || get(is_finalizing, "_Py_IsFinalizing")) &&
         get(add_pending_call, "Py_AddPendingCall") &&
         get(import_module, "PyImport_ImportModule") &&
         get(get_attribute, "PyObject_GetAttrString") && get(list_append, "PyList_Append") &&
         get(make_function, "PyCFunction_NewEx") && get(make_capsule, "PyCapsule_New") &&
         get(dict_item, "PyDict_GetItemString") && get(as_long, "PyLong_AsLong") &&
         get(compare_ascii, "PyUnicode_CompareWithASCIIString") &&
         get(add_reference, "Py_IncRef") && get(drop_reference, "Py_DecRef") &&
         get(clear_error, "PyErr_Clear");
}

}  // namespace gapscope
