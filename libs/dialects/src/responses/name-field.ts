import { createFieldNamer } from '../neutral/rename-field.ts';

/**
 * Returns the path in this dialect of a field that the encoder of another dialect names. The items
 * of `input` have other indexes than the turns that they became, so they have none.
 */
export const nameField = createFieldNamer([
  [/^messages\[\d*\]\.(?:reasoning_content|content\[\d*\]\.thinking)$/, 'input[].summary'],
  [/^messages\[\d*\]\.tool_calls\[\d*\]\.function\.arguments/, 'input[].arguments'],
  [/^messages\[\d*\]/, 'input[]'],
  [/^(input\[\]\.content)\[\d+\]/, '$1[]'],
  [/\.image_url\.detail$/, '.detail'],
  [/^(tools\[\d*\])\.(?:function\.parameters|input_schema)/, '$1.parameters'],
  [/^(tools\[\d*\])\.function\./, '$1.'],
  [/^response_format(?:\.json_schema)?/, 'text.format'],
  [/^reasoning_effort$/, 'reasoning.effort'],
  [/^metadata\.user_id$/, 'safety_identifier'],
]);
