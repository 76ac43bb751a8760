import { answerWith, respondWith } from './answer-scripts.ts';
import { answerEmbeddings } from './embedding-scripts.ts';
import { answerMessageWith, countTokensWith, failMessageWith } from './message-scripts.ts';
import { answerResponseWith } from './response-scripts.ts';
import type { RecordedRequest } from './request-log.ts';
import type { Script } from './script.ts';

export type ScriptDefaults = {
  readonly fallback: Script;
  readonly models: readonly string[];
};

const PROMPT_TOKENS = 3;

export const answerPong: Script = async (exchange) => {
  const { pathname } = targetOf(exchange.request);
  await scriptFor(pathname)(exchange);
};

const scriptFor = (pathname: string): Script => {
  if (pathname.endsWith('/messages')) return answerMessageWith();
  return pathname.endsWith('/responses') ? answerResponseWith({ text: ['pong'] }) : answerWith();
};

export function findDefaultScript(defaults: ScriptDefaults, request: RecordedRequest): Script {
  const { route, pathname } = targetOf(request);
  const isMessagesDialect = request.headers['anthropic-version'] !== undefined;
  if (/^POST \/.*v1\/(chat\/completions|messages|responses)$/.test(route)) return defaults.fallback;
  if (/^POST \/.*v1\/messages\/count_tokens$/.test(route)) return countTokensWith(PROMPT_TOKENS);
  if (/^POST \/.*v1\/embeddings$/.test(route)) return answerEmbeddings;
  if (route === 'GET /v1/models') {
    return isMessagesDialect ? listForMessages(defaults.models) : listForChat(defaults.models);
  }
  const message = `No such path: ${pathname}`;
  if (isMessagesDialect) return failMessageWith(404, { message });
  const error = { message, type: 'invalid_request_error', param: null, code: null };
  return respondWith({ status: 404, body: { error } });
}

function targetOf({ method, path }: RecordedRequest): { route: string; pathname: string } {
  const [pathname = ''] = path.split('?');
  return { route: `${method} ${pathname}`, pathname };
}

function listForChat(names: readonly string[]): Script {
  const modelFields = { object: 'model', created: 0, owned_by: 'scripted' };
  const data = names.map((id) => ({ id, ...modelFields }));
  return respondWith({ body: { object: 'list', data } });
}

function listForMessages(names: readonly string[]): Script {
  const created_at = '2026-01-01T00:00:00Z';
  const data = names.map((id) => ({ type: 'model', id, display_name: id, created_at }));
  const cursors = { first_id: names.at(0) ?? null, last_id: names.at(-1) ?? null };
  return respondWith({ body: { data, has_more: false, ...cursors } });
}
