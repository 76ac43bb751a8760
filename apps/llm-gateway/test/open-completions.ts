import type { CertificateDraft, CompleteRequest, LedgerClient } from '@witan/contracts';
import { isServiceError } from '@witan/contracts';
import type { DialectName } from '@witan/dialects';
import type { AttemptRecord, CompletionDeps, EndedAttempt } from '../src/completion/completion.ts';
import type { Provider, ProviderAccess } from '../src/provider/provider.ts';
import { completeOverRpc } from '../src/completion/rpc/completions.ts';
import type { CompletionEvent } from '../src/completion/rpc/completions.ts';
import { createCircuitBreaker } from '../src/provider/circuit-breaker.ts';
import { createSchemaSupport } from '../src/provider/schema-support.ts';
import type { RouteSettings } from '../src/routing/choose-route.ts';
import { toTarget } from '../src/provider/provider.ts';
import { DEFAULT_PRIVACY } from '../src/masking/privacy-settings.ts';
import type { PrivacySettings } from '../src/masking/privacy-settings.ts';
import { createFakeProvider } from './fake-provider.ts';
import { createTestPrivacy } from './masking.ts';
import type { FakeProvider, FakeProviderOptions } from './fake-provider.ts';
import { unreachable } from './provider-answers.ts';
import { ASKED_MODEL, wireRequest } from './requests.ts';
import { makeSettings } from './route-settings.ts';

export type OpenCompletionsOptions = {
  /** Targets of the alias `chain` in order, each with the model `<name>-model`. */
  providers: readonly FakeProvider[];
  settings?: Partial<RouteSettings>;
  ledger?: Partial<LedgerClient>;
  isMetered?: boolean;
  privacy?: PrivacySettings;
};

export type Outcome = {
  events: CompletionEvent[];
  /**
   * Reason of the failure, followed by the id of its certificate, if it names one; empty on
   * success.
   */
  failure: string;
};

export type TestCompletions = {
  log: string[];
  certified: CertificateDraft[];
  attempts: AttemptRecord[];
  ended: EndedAttempt[];
  client: AbortController;
  access: ReadonlyMap<string, ProviderAccess>;
  clock: { now: number };
  deps: CompletionDeps;
  run: (
    request?: CompleteRequest,
  ) => AsyncIterator<CompletionEvent> & AsyncIterable<CompletionEvent>;
  read: (request?: CompleteRequest) => Promise<Outcome>;
};

export const openCompletions = (options: OpenCompletionsOptions): TestCompletions => {
  const log: string[] = [];
  const certified: CertificateDraft[] = [];
  const attempts: AttemptRecord[] = [];
  const ended: EndedAttempt[] = [];
  const client = new AbortController();
  const clock = { now: 0 };
  const access = new Map(
    options.providers.map((provider) => {
      const breaker = createCircuitBreaker(() => clock.now);
      return [provider.name, { provider: withLog(provider, log), breaker }] as const;
    }),
  );
  const deps: CompletionDeps = {
    ledger: openLedger(options.ledger ?? {}, log, certified),
    choicesFor: async () => ({
      settings: toSettings(options),
      privacy: options.privacy ?? DEFAULT_PRIVACY,
      accessTo: (name) => access.get(name) ?? throwUnreachable(),
    }),
    privacy: createTestPrivacy(),
    schemas: createSchemaSupport(() => clock.now),
    maxOutputTokens: 100,
    isMetered: options.isMetered ?? false,
    totalTimeoutMs: 5_000,
    yieldAfter: () => undefined,
    onAttempt: (record) => attempts.push(record),
    onEnded: (one) => ended.push(one),
    onContext: ({ provider }, tokens) => log.push(`context ${provider} ${tokens}`),
  };
  const run: TestCompletions['run'] = (request = wireRequest('chat-completions')) => {
    const caller = { workspaceId: 'ws_a', requestId: 'req_1', signal: client.signal };
    return toIterator(completeOverRpc(request, caller, deps));
  };
  const read: TestCompletions['read'] = async (request) => {
    const events: CompletionEvent[] = [];
    try {
      for await (const event of run(request)) {
        log.push(String(event.event?.case));
        events.push(event);
      }
    } catch (error) {
      return { events, failure: showFailure(error) };
    }
    return { events, failure: '' };
  };
  return { log, certified, attempts, ended, client, access, clock, deps, run, read };
};

const toIterator = <T>(items: AsyncIterable<T>): AsyncIterator<T> & AsyncIterable<T> => {
  const iterator = items[Symbol.asyncIterator]();
  return Object.assign(iterator, { [Symbol.asyncIterator]: () => iterator });
};

export const openChain = (...replies: FakeProviderOptions['reply'][]): TestCompletions =>
  openCompletions({
    providers: replies.map((reply, index) => createFakeProvider({ name: 'abc'[index]!, reply })),
  });

export const openCrossDialect = (client: DialectName, reply: FakeProviderOptions['reply']) => {
  const dialect = client === 'messages' ? 'chat-completions' : 'messages';
  const provider = createFakeProvider({ dialect, reply });
  const completions = openCompletions({ providers: [provider] });
  const ask = (body: object = {}): Promise<Outcome> => completions.read(wireRequest(client, body));
  return { ...completions, provider, ask };
};

const toSettings = ({ providers, settings }: OpenCompletionsOptions): RouteSettings => {
  const targets = providers.map(({ name }) => toTarget(name, `${name}-model`));
  return makeSettings({
    dialects: new Map(providers.map(({ name, dialects }) => [name, dialects])),
    aliases: new Map([[ASKED_MODEL, targets]]),
    full: targets,
    cheap: targets,
    small: targets,
    ...settings,
  });
};

const withLog = (provider: FakeProvider, log: string[]): Provider => ({
  ...provider,
  complete: (call) => {
    log.push(`send ${provider.name}`);
    return provider.complete(call);
  },
});

const openLedger = (
  ledger: Partial<LedgerClient>,
  log: string[],
  certified: CertificateDraft[],
): LedgerClient => ({
  reserve: async (workspaceId, reservation) => {
    log.push(`reserve ${workspaceId} ${reservation.intent.proofId} ${reservation.expiresInMs}`);
    return await ledger.reserve?.(workspaceId, reservation);
  },
  append: async (workspaceId, draft, reservationId = draft.proofId) => {
    const existingId = await ledger.append?.(workspaceId, draft, reservationId);
    const of = reservationId === draft.proofId ? '' : ` of ${reservationId}`;
    log.push(`append ${draft.proofId} ${draft.answer.finishReason}${of}`);
    certified.push(draft);
    return existingId ?? draft.proofId;
  },
  release: async (workspaceId, proofId) => {
    log.push(`release ${proofId}`);
    await ledger.release?.(workspaceId, proofId);
  },
});

const throwUnreachable = (): never => {
  throw unreachable();
};

/** Returns the failure as text. An error without a reason is a bug, so it is shown in full. */
const showFailure = (error: unknown): string => {
  if (!isServiceError(error)) return String(error);
  return error.fields.proof ? `${error.reason} ${error.fields.proof}` : error.reason;
};
