/** JSON Schema 2020-12, as used by OpenAPI 3.1. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  additionalProperties?: boolean | Schema;
  examples?: unknown[];
  [keyword: string]: unknown;
}

export interface Ref {
  $ref: string;
}

export interface Example {
  summary?: string;
  value: unknown;
}

export interface MediaType {
  schema: Schema;
  examples?: Record<string, Example | Ref>;
}

export interface Header {
  description: string;
  required?: boolean;
  schema: Schema;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  description: string;
  required?: boolean;
  schema: Schema;
  example?: unknown;
}

export interface Response {
  description: string;
  headers?: Record<string, Header | Ref>;
  content?: Record<'application/json', MediaType>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security?: Record<string, string[]>[];
  /** Scope that a restricted key needs. */
  'x-scope'?: string;
  /** Least privileged kind of key that may call the operation. */
  'x-access'?: 'public' | 'private';
  /** A sandbox key gets 403. */
  'x-live-only'?: boolean;
  parameters: (Parameter | Ref)[];
  requestBody?: { required: boolean; content: Record<'application/json', MediaType> };
  responses: Record<string, Response | Ref>;
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export interface Components {
  schemas: Record<string, Schema>;
  responses: Record<string, Response>;
  parameters: Record<string, Parameter>;
  headers: Record<string, Header>;
  examples: Record<string, Example>;
  securitySchemes: Record<string, object>;
}

/** The part of OpenAPI 3.1 that we write. */
export interface Document {
  openapi: string;
  info: { title: string; version: string; summary: string; description: string; license: object };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Partial<Record<Method, Operation>>>;
  webhooks: Record<string, { post: Operation }>;
  components: Components;
}
