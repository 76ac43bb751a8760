import { VERSION } from '@witan/service-kit/release';
import { ERROR_CODES } from './openapi-errors.ts';

const AUTHENTICATION = `
Send a key of your workspace as \`x-api-key\` or as \`Authorization: Bearer\`; every path takes
both. A key has scopes: each module's name lets it write and read, \`<module>:read\` lets it
read, \`*\` is all of them. Each operation says which it needs. What belongs to another workspace is
a 404.`;

const CERTIFICATES = `
Every completion ends in a signed certificate: \`x-service-proof\` names it, \`GET /v1/proofs/{id}\`
fetches it, and \`witan verify\` checks it offline with the key of \`GET /v1/gateway/public-key\`.
The last byte of an answer, streamed or not, waits until its certificate is durable.`;

const CONVENTIONS = `
- Creates answer 201, actions 200, deletes 204. Lists come newest first, with \`limit\` (100 by
  default, at most 500) and \`cursor\`; \`nextCursor\` is there when there is more.
- Fields of a body that nobody knows are ignored and named in \`x-service-ignored-fields\`; with
  \`Prefer: handling=strict\` they are a 400. Dialect bodies pass on what they hold.
- \`Idempotency-Key\` makes a retry safe: the same call again gets the first answer and is not paid
  twice.
- \`x-request-id\` is taken over from the request, or made; it is in every answer and in our logs.
- Streams are server-sent events. A comment line every few seconds keeps idle connections open. A
  failure in mid-stream is an \`error\` event (a frame with \`error\` in the chat dialect,
  \`response.failed\` in the responses dialect), and nothing but that dialect's \`[DONE]\` follows.
- Where limits of keys are on, answers carry \`RateLimit\` and \`RateLimit-Policy\`, and refusals
  \`Retry-After\`.`;

const ERRORS = `
Errors are JSON, in the shape of the surface that was called: \`Error\` on native paths,
\`ChatError\` (also for responses) and \`MessagesError\` on those of the dialects. \`code\` is what
programs go by; \`message\` says what to do.

${Object.entries(ERROR_CODES)
  .map(([code, [status, meaning]]) => `- \`${code}\` (${status}): ${meaning}`)
  .join('\n')}`;

const section = (title: string, text: string): string => `## ${title}\n${text.trimEnd()}`;

export const INFO = {
  title: 'Witan',
  version: VERSION,
  summary: 'A council of AI agents whose every answer can be verified offline.',
  description: [
    section('Authentication', AUTHENTICATION),
    section('Certificates', CERTIFICATES),
    section('Conventions', CONVENTIONS),
    section('Errors', ERRORS),
  ].join('\n\n'),
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
} as const;

export const TAGS = [
  {
    name: 'Gateway',
    description:
      'One certified completion, in the dialect that your client speaks. `model` is an address: ' +
      'a model, `service-auto`, `agent:<slug>`, with `+knowledge` and `+sensitive` behind it.',
  },
  {
    name: 'Transparency log',
    description:
      'The public log that the history of every workspace is committed to: nobody can be shown ' +
      'another one. Formats: c2sp.org, docs/transparency.md.',
  },
  { name: 'Proofs', description: 'Certificates, the chain they stand in, and the public keys.' },
  {
    name: 'Agents',
    description: 'Personas that remember: chats, sessions, memories.',
  },
  {
    name: 'Conversations',
    description: 'Questions to the whole council, debated in rounds until it says what it thinks.',
  },
  {
    name: 'Simulations',
    description: 'Companies played forward turn by turn, in scenarios side by side.',
  },
  { name: 'Market analysis', description: 'What a model knows of a market, and how surely.' },
  {
    name: 'Completion layer',
    description: 'A completion with data beside it, and facts that are extracted and kept.',
  },
  { name: 'Knowledge', description: 'Documents that answers are grounded in.' },
  { name: 'Tools', description: 'Your https endpoints that agents may call, signed.' },
  {
    name: 'Webhooks',
    description: 'Events pushed to your https endpoint, signed and retried.',
  },
  { name: 'Workspace', description: 'Names for models, privacy, and your own providers.' },
  { name: 'API keys', description: 'Keys with scopes and an end; their texts are shown once.' },
  { name: 'Console', description: 'Sign-in of people: sessions in cookies, and one-time links.' },
  {
    name: 'Ledger',
    description:
      "Tokens: what is there, what was used. Each workspace has one account, its owner's for it: " +
      'all calls of its keys are charged to that account. Workspaces share no tokens, not even ' +
      'those of one owner.',
  },
  {
    name: 'MCP',
    description:
      'The same operations as tools for the clients of the Model Context Protocol, with the ' +
      'certificates of each result.',
  },
  { name: 'Reference', description: 'This document, for machines and for people.' },
] as const;
