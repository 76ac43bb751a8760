import type { DialectName } from '@witan/dialects';
import type { Provider, ProviderAnswer, ProviderRequest } from '../src/provider/provider.ts';
import { replyInChat, replyInMessages } from './provider-answers.ts';

/** `signal` aborts when the call is stopped. */
type Reply = (
  call: ProviderRequest & { signal: AbortSignal },
) => ProviderAnswer | Promise<ProviderAnswer>;

export type FakeProviderOptions = {
  name?: string;
  dialect?: DialectName;
  reply?: Reply;
  models?: readonly string[];
};

export type FakeProvider = Provider & {
  dialect: DialectName;
  calls: ProviderRequest[];
  lastBody: () => Record<string, unknown>;
};

export const createFakeProvider = (options: FakeProviderOptions = {}): FakeProvider => {
  const { dialect = 'chat-completions', models = [] } = options;
  const { name = dialect === 'messages' ? 'anthropic' : 'openai' } = options;
  const replyPong: Reply = ({ body }) =>
    dialect === 'messages' ? replyInMessages({}, body) : replyInChat({}, body);
  const { reply = replyPong } = options;
  const calls: ProviderRequest[] = [];
  const ask = async (call: ProviderRequest, answer: Reply): Promise<ProviderAnswer> => {
    calls.push(call);
    const { stop } = call;
    const controller = new AbortController();
    if (stop.reason !== undefined) controller.abort(stop.reason);
    stop.onStop = (reason) => controller.abort(reason);
    return answer({ ...call, signal: controller.signal });
  };
  return {
    name,
    dialect,
    dialects: [dialect],
    calls,
    lastBody: () => JSON.parse(Buffer.from(calls.at(-1)!.body).toString()),
    complete: (call) => ask(call, reply),
    listModels: async () => [...models],
  };
};
