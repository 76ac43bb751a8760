import { answerWith, respondWith } from './answer-scripts.ts';
import { answerMessageWith, countTokensWith, failMessageWith } from './message-scripts.ts';
import type { RecordedRequest } from './request-log.ts';
import type { Script } from './script.ts';

/** What a provider without a script is set to. */
export type Unscripted = {
  /** For the paths that ask for an answer, in either dialect. */
  readonly fallback: Script;
  /** The names that the list of models has. */
  readonly models: readonly string[];
};

/** What the default message answer counts as its prompt, in tokens. */
const PROMPT_TOKENS = 3;

/** A `pong` in the dialect of the path that was called. */
export const answerPong: Script = async (exchange) => {
  const { pathname } = targetOf(exchange.request);
  const script = pathname.endsWith('/messages') ? answerMessageWith() : answerWith();
  await script(exchange);
};

/** The script of a request that nothing was scripted for; 404 for paths that nobody knows. */
export function chooseByPath(unscripted: Unscripted, request: RecordedRequest): Script {
  const { route, pathname } = targetOf(request);
  const speaksMessages = request.headers['anthropic-version'] !== undefined;
  if (/^POST \/.*v1\/(chat\/completions|messages)$/.test(route)) return unscripted.fallback;
  if (/^POST \/.*v1\/messages\/count_tokens$/.test(route)) return countTokensWith(PROMPT_TOKENS);
  if (route === 'GET /v1/models') {
    return speaksMessages ? listForMessages(unscripted.models) : listForChat(unscripted.models);
  }
  const message = `No such path: ${pathname}`;
  if (speaksMessages) return failMessageWith(404, { message });
  const error = { message, type: 'invalid_request_error', param: null, code: null };
  return respondWith({ status: 404, body: { error } });
}

function targetOf({ method, path }: RecordedRequest): { route: string; pathname: string } {
  const [pathname = ''] = path.split('?');
  return { route: `${method} ${pathname}`, pathname };
}

function listForChat(names: readonly string[]): Script {
  const described = { object: 'model', created: 0, owned_by: 'scripted' };
  const data = names.map((id) => ({ id, ...described }));
  return respondWith({ body: { object: 'list', data } });
}

function listForMessages(names: readonly string[]): Script {
  const created_at = '2026-01-01T00:00:00Z';
  const data = names.map((id) => ({ type: 'model', id, display_name: id, created_at }));
  const ends = { first_id: names.at(0) ?? null, last_id: names.at(-1) ?? null };
  return respondWith({ body: { data, has_more: false, ...ends } });
}
