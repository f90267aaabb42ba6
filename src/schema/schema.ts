export * from '../util/json-schema.ts';
