//! Values passed to JavaScript by name: plain objects there, serde structs here.

use crate::error::js_error;
use kinestitch::error::Error;
#[cfg(not(feature = "fbx"))]
use serde::Serialize;
use serde::de::DeserializeOwned;
#[cfg(not(feature = "fbx"))]
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

/// Converts a struct to a plain object; maps become objects too.
#[cfg(not(feature = "fbx"))]
pub(crate) fn to_js(value: &impl Serialize) -> Result<JsValue, JsValue> {
    Ok(value.serialize(&Serializer::new().serialize_maps_as_objects(true))?)
}

/// Converts a plain object to a struct. `option` names the value in errors.
pub(crate) fn from_js<T: DeserializeOwned>(option: &'static str, value: JsValue) -> Result<T, JsValue> {
    serde_wasm_bindgen::from_value(value)
        .map_err(|error| js_error(Error::Option { option, message: error.to_string() }))
}
