import type { JsonSchema } from '../http/route.ts';
import { markup, renderInline } from './docs-html.ts';
import type { Html } from './docs-html.ts';

export const renderSchema = (schema: JsonSchema): Html =>
  markup` <p class="type">${renderType(schema)} ${renderLimits(schema)}</p>
    ${describe(schema)}${renderMembers(schema)}`;

const renderMembers = (schema: JsonSchema): Html => {
  const { properties, items, additionalProperties, required } = schema;
  const requiredNames = new Set((required ?? []) as string[]);
  const members = Object.entries((properties ?? {}) as Record<string, JsonSchema>);
  const rows = members.map(([name, member]) =>
    renderMember(name, member, { isRequired: requiredNames.has(name) }),
  );
  if (isSchema(additionalProperties)) {
    rows.push(renderMember('<name>', additionalProperties, { isRequired: false }));
  }
  return markup`${
    rows.length > 0 &&
    markup`<ul class="members">
      ${rows}
    </ul>`
  }${
    isSchema(items) ? renderMembers(items) : undefined
  }${alternativesOf(schema).map((item) => renderMembers(item))}`;
};

const renderMember = (
  name: string,
  schema: JsonSchema,
  { isRequired }: { isRequired: boolean },
): Html => {
  const head = markup`<code class="name">${name}</code>
    <span class="type">${renderType(schema)}</span>
    ${isRequired && markup`<span class="required">required</span>`}
    ${schema.readOnly === true && markup`<span class="note">read-only</span>`}
    ${renderLimits(schema)}`;
  const body = markup`${describe(schema)}`;
  return hasMembers(schema)
    ? markup`<li>
        ${head}${body}
        <details>
          <summary>Members of ${name}</summary>
          ${renderMembers(schema)}
        </details>
      </li>`
    : markup`<li>${head}${body}</li>`;
};

const describe = ({ description }: JsonSchema): Html | undefined =>
  typeof description === 'string'
    ? markup`<p>${renderInline(toSentence(description))}</p>`
    : undefined;

const toSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

const hasMembers = ({ properties, items, additionalProperties, ...rest }: JsonSchema): boolean =>
  Object.keys(properties ?? {}).length > 0 ||
  isSchema(additionalProperties) ||
  (isSchema(items) && hasMembers(items)) ||
  alternativesOf(rest).some(hasMembers);

const alternativesOf = ({ anyOf, oneOf }: JsonSchema): JsonSchema[] =>
  ((anyOf ?? oneOf ?? []) as JsonSchema[]).filter(isSchema);

const renderType = (schema: JsonSchema): Html => {
  const { $ref, type, items } = schema;
  if (typeof $ref === 'string') {
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    return markup`<a href="#schema-${name}">${name}</a>`;
  }
  if ('const' in schema) return markup`<code>${JSON.stringify(schema.const)}</code>`;
  if (Array.isArray(schema.enum)) {
    return markup`${join(schema.enum.map((item) => markup`<code>${JSON.stringify(item)}</code>`))}`;
  }
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 0) return markup`${join(alternatives.map(renderType))}`;
  const names = [type ?? 'any'].flat().map(String);
  if (isSchema(items)) return markup`list of ${renderType(items)}`;
  return markup`${names.map((name) => (name === 'array' ? 'list' : name)).join(' or ')}`;
};

const join = (parts: readonly Html[]): Html[] =>
  parts.map((part, index) => (index === 0 ? part : markup` or ${part}`));

const UNITS = [
  ['minLength', 'maxLength', 'characters'],
  ['minItems', 'maxItems', 'items'],
  ['minProperties', 'maxProperties', 'members'],
  ['minimum', 'maximum', ''],
] as const;

const renderLimits = (schema: JsonSchema): Html | undefined => {
  const limits = UNITS.flatMap(([minimum, maximum, unit]) => {
    const bounds = rangeOf(schema[minimum], schema[maximum]);
    return bounds ? [`${bounds} ${unit}`.trim()] : [];
  });
  if (typeof schema.format === 'string') limits.push(schema.format);
  return limits.length > 0 ? markup`<span class="limits">${limits.join(', ')}</span>` : undefined;
};

const NUMBER = new Intl.NumberFormat('en');

const rangeOf = (minimum: unknown, maximum: unknown): string => {
  const low = typeof minimum === 'number' ? NUMBER.format(minimum) : undefined;
  const high = typeof maximum === 'number' ? NUMBER.format(maximum) : undefined;
  if (low !== undefined && high !== undefined) return `${low} to ${high}`;
  if (high !== undefined) return `at most ${high}`;
  return low === undefined || low === '0' ? '' : `at least ${low}`;
};

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
