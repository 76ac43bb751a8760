import { createFieldNamer } from '../neutral/rename-field.ts';

/** Returns the path in this dialect of a field that the encoder of another dialect names. */
export const nameField = createFieldNamer([
  [/^stop_sequences/, 'stop'],
  [/^metadata\.user_id$/, 'user'],
  [/^(tools\[\d*\])\.input_schema/, '$1.function.parameters'],
  [/^(tools\[\d*\])\.strict$/, '$1.function.strict'],
  [/^response_format\.schema/, 'response_format.json_schema.schema'],
]);
