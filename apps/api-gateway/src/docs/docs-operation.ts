import type {
  OpenapiContent,
  OpenapiDocument,
  OpenapiOperation,
  OpenapiParameter,
  OpenapiResponse,
} from './to-openapi.ts';
import type { JsonSchema } from '../http/route.ts';
import { markup, renderMarkdown, renderSample, renderInline } from './docs-html.ts';
import type { Html } from './docs-html.ts';
import { renderSchema } from './docs-schema.ts';

export type DocumentedOperation = { method: string; path: string; operation: OpenapiOperation };

export const renderOperation = (
  documented: DocumentedOperation,
  document: OpenapiDocument,
): Html => {
  const { method, path, operation } = documented;
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const find = `${method} ${path} ${operationId} ${summary} ${operation.tags.join(' ')}`;
  return markup` <article class="operation" id="${operationId}" data-find="${find.toLowerCase()}">
    <div class="about">
      <h3><a href="#${operationId}">${summary}</a></h3>
      <p class="call">
        <span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code>
        <span class="id">${operationId}</span>
      </p>
      ${renderMarkdown(description)} ${renderParameters(parameters)}
      ${requestBody && renderBody(requestBody.content, document)}
      <h4>Answers</h4>
      ${Object.entries(responses).map((item) => renderResponse(item, document))}
    </div>
    <div class="samples">
      <h4>Call</h4>
      ${renderSample(toCurl(documented))} ${renderResponseSamples(responses)}
    </div>
  </article>`;
};

export const renderParameters = (
  parameters: readonly Pick<
    OpenapiParameter,
    'name' | 'in' | 'required' | 'description' | 'schema'
  >[],
): Html | undefined => {
  if (parameters.length === 0) return undefined;
  const rows = parameters.map(
    ({ name, in: location, required, description, schema }) =>
      markup` <li>
        <code class="name">${name}</code>
        <span class="note">in ${location}</span>
        ${required && markup`<span class="required">required</span>`}
        ${renderSchema(description === undefined ? schema : { ...schema, description })}
      </li>`,
  );
  return markup`<h4>Parameters</h4>
    <ul class="members">
      ${rows}
    </ul>`;
};

const renderBody = (content: OpenapiContent, document: OpenapiDocument): Html =>
  markup` <h4>Body</h4>
    ${Object.entries(content).map(
      ([type, { schema }]) =>
        markup`<p class="media">${type}</p>
          ${renderSchema(resolve(schema, document))}`,
    )}`;

const renderResponse = (
  [status, response]: [string, OpenapiResponse],
  document: OpenapiDocument,
): Html => {
  const { description, content = {}, headers = {} } = response;
  const head = markup`<span class="status s${status.charAt(0)}">${status}</span> ${renderInline(
    description,
  )}`;
  // Errors of one surface share a schema, so only the codes of an error response are shown.
  if (!status.startsWith('2')) return markup`<p class="answer">${head} ${renderCodes(content)}</p>`;
  const bodies = Object.entries(content).map(
    ([type, { schema }]) =>
      markup` <p class="media">${type}</p>
        ${renderSchema(resolve(schema, document))}`,
  );
  const headerRows = Object.entries(headers).map(
    ([name, headerDescription]) =>
      markup` <li>
        <code class="name">${name}</code>
        <p>${renderInline(headerDescription.description)}.</p>
      </li>`,
  );
  if (bodies.length === 0 && headerRows.length === 0) return markup`<p class="answer">${head}</p>`;
  return markup`<details class="answer">
    <summary>${head}</summary>
    ${
      headerRows.length > 0 &&
      markup`<p class="media">Headers</p>
        <ul class="members">
          ${headerRows}
        </ul>`
    }${bodies}
  </details>`;
};

const renderCodes = (content: OpenapiContent): Html[] =>
  Object.values(content).flatMap(({ examples = {} }) =>
    Object.values(examples).flatMap(({ value }) => {
      const { error } = value as { error: { code?: string | null; type: string } };
      return [markup`<code>${error.code ?? error.type}</code> `];
    }),
  );

/**
 * Replaces a reference by its schema, so that the members of a body are shown in place; references
 * inside it are rendered as links.
 */
const resolve = (schema: JsonSchema, { components }: OpenapiDocument): JsonSchema => {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  return components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? schema;
};

const renderResponseSamples = (responses: OpenapiOperation['responses']): Html[] =>
  Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, { content = {} }]) =>
      Object.entries(content)
        .filter(([, { example }]) => example !== undefined)
        .map(
          ([type, { example }]) =>
            markup`<h4>${status} <span class="note">${type}</span></h4>
              ${renderSample(example)}`,
        ),
    );

const toCurl = ({ method, path, operation }: DocumentedOperation): string => {
  const { parameters, requestBody, security } = operation;
  const resolvedPath = path.replaceAll(/\{(\w+)\}/g, (all, name: string) =>
    encodeURIComponent(exampleOf(parameters, 'path', name) ?? all).replaceAll('%3A', ':'),
  );
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.example !== undefined)
    .map(({ name, example }) => `${name}=${encodeURIComponent(example!)}`)
    .join('&');
  const body = requestBody?.content['application/json']?.example;
  const isPlain = method === 'get' || (method === 'post' && body !== undefined);
  const address = `$WITAN${resolvedPath}${query && `?${query}`}`;
  return [
    `curl ${isPlain ? '' : `-X ${method.toUpperCase()} `}"${address}"`,
    ...(security?.length === 0 ? [] : ['-H "x-api-key: $KEY"']),
    ...(body === undefined
      ? []
      : ['-H "content-type: application/json"', `-d ${quote(JSON.stringify(body, undefined, 2))}`]),
  ].join(' \\\n  ');
};

const exampleOf = (
  parameters: readonly OpenapiParameter[],
  location: OpenapiParameter['in'],
  name: string,
): string | number | undefined =>
  parameters.find((parameter) => parameter.in === location && parameter.name === name)?.example;

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
