// Shows the document of this server. Tokens that a reader enters stay in the memory of the page.
SwaggerUIBundle({
  url: "v1/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  filter: true,
  operationsSorter: "alpha",
  persistAuthorization: false,
  validatorUrl: null,
  withCredentials: false,
});
