import { setImmediate } from 'node:timers/promises';
import type { OpenapiDocument, OpenapiOperation } from './to-openapi.ts';
import { markup, trusted, renderMarkdown, renderSample } from './docs-html.ts';
import type { Html } from './docs-html.ts';
import { renderOperation, renderParameters } from './docs-operation.ts';
import type { DocumentedOperation } from './docs-operation.ts';
import { renderSchema } from './docs-schema.ts';
import { SCRIPT } from './docs-script.ts';
import { STYLE } from './docs-style.ts';

/**
 * Renders the whole API reference as one page, which needs its script only to search and to open
 * linked schemas. Yields to the event loop between groups of operations, so that other requests are
 * served meanwhile.
 */
export const renderPage = async (document: OpenapiDocument): Promise<string> => {
  const { info } = document;
  const groups = groupByTag(document);
  const parts = [renderEvents(document)];
  for (const group of groups.toReversed()) {
    await setImmediate();
    parts.unshift(renderGroup(group, document));
  }
  return markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${info.title} API reference</title>
        <link rel="icon" href="data:," />
        <style>${trusted(STYLE)}</style>
      </head>
      <body>
        <a class="skip" href="#reference">Skip to the reference</a>
        <header>
          <p class="brand">
            <strong>${info.title}</strong> API reference <span class="note">${info.version}</span>
          </p>
          <p><a href="/v1/openapi.json">OpenAPI document</a></p>
        </header>
        <nav aria-label="Operations">${renderNavigation(groups)}</nav>
        <main id="reference" tabindex="-1">
          <section class="intro" id="introduction">
            <h1>${info.title} API</h1>
            <p>${String(info.summary)}</p>
            ${renderSample('export WITAN=https://witan.example.com KEY=sk_live_...')}
            ${renderMarkdown(info.description)}
          </section>
          ${parts} ${renderSchemas(parts, document)}
        </main>
        <script>${trusted(SCRIPT)}</script>
      </body>
    </html> `.html;
};

type Group = { name: string; description: string; operations: DocumentedOperation[] };

const groupByTag = ({ tags, paths }: OpenapiDocument): Group[] => {
  const all = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation })),
  );
  return tags.map(({ name, description }) => ({
    name,
    description,
    operations: all.filter(({ operation }) => operation.tags[0] === name),
  }));
};

const toAnchor = (name: string): string => `tag-${name.toLowerCase().replaceAll(' ', '-')}`;

const renderGroup = ({ name, description, operations }: Group, document: OpenapiDocument): Html =>
  markup`
<section class="tag" id="${toAnchor(name)}">
<h2>${name}</h2>
${renderMarkdown(description)}
${operations.map((operation) => renderOperation(operation, document))}
</section>`;

const renderNavigation = (groups: readonly Group[]): Html =>
  markup` <search>
      <label for="find">Search <kbd>/</kbd></label>
      <input id="find" type="search" autocomplete="off" placeholder="path, words or id" />
      <p id="found" role="status"></p>
    </search>
    <ul class="groups">
      <li><a href="#introduction">Introduction</a></li>
      ${groups.map(
        ({ name, operations }) =>
          markup` <li class="group">
            <a href="#${toAnchor(name)}">${name}</a>
            <ul>
              ${operations.map(
                ({ method, operation: { operationId, summary } }) =>
                  markup` <li data-for="${operationId}">
                    <a href="#${operationId}"
                      ><span class="method ${method}">${method.toUpperCase()}</span>
                      ${toShort(summary)}</a
                    >
                  </li>`,
              )}
            </ul>
          </li>`,
      )}
      <li><a href="#events">Events that we send</a></li>
      <li><a href="#schemas">Schemas</a></li>
    </ul>`;

const toShort = (summary: string): string => summary.split(/[:;,(]/, 1)[0]!.trim();

type WebhookOperation = { post: Pick<OpenapiOperation, 'summary' | 'parameters' | 'requestBody'> };

const EVENTS_INTRODUCTION =
  'What a webhook gets: a POST of this JSON with these headers. Compare the signature with one ' +
  'of your own over the raw bytes, in constant time, before you parse them; answer 2xx quickly. ' +
  'Attempts: at once, 1 s and 5 s after the one before.';

const renderEvents = ({ webhooks }: OpenapiDocument): Html =>
  markup` <section class="tag" id="events">
    <h2>Events that we send</h2>
    ${renderMarkdown(EVENTS_INTRODUCTION)}
    ${Object.entries(webhooks as Record<string, WebhookOperation>).map(([name, { post }]) =>
      renderEvent(name, post),
    )}
  </section>`;

const renderEvent = (
  name: string,
  { summary, parameters, requestBody }: WebhookOperation['post'],
): Html => {
  const { schema, example } = requestBody!.content['application/json']!;
  return markup` <article class="operation" id="event-${name}" data-find="${name} webhook event">
    <div class="about">
      <h3><a href="#event-${name}">${name}</a></h3>
      <p>${summary}.</p>
      ${renderSchema(schema)}
      <details>
        <summary>Headers</summary>
        ${renderParameters(parameters)}
      </details>
    </div>
    <div class="samples">
      <h4>Body</h4>
      ${renderSample(example)}
    </div>
  </article>`;
};

const renderSchemas = (schemas: readonly Html[], { components }: OpenapiDocument): Html => {
  const rendered = new Map<string, Html>();
  const open = schemas.flatMap(referencedSchemas);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const schema = components.schemas[name];
    if (!schema || rendered.has(name)) continue;
    const one = renderSchema(schema);
    rendered.set(name, one);
    open.push(...referencedSchemas(one));
  }
  const sorted = [...rendered].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return markup`
<section class="tag" id="schemas">
<h2>Schemas</h2>
${sorted.map(
  ([name, one]) => markup`
<details class="schema" id="schema-${name}"><summary>${name}</summary>${one}</details>`,
)}
</section>`;
};

const referencedSchemas = (part: Html): string[] =>
  [...part.html.matchAll(/href="#schema-(\w+)"/g)].map(([, name]) => name!);
