import { hash } from 'node:crypto';
import type { CompleteEvent } from '@witan/contracts';
import type { CompletionService } from '@witan/contracts/services';
import type { Endpoint } from '@witan/dialects';
import { commitmentText } from '@witan/proof';
import { newId } from '@witan/service-kit';
import type { Client } from '@witan/service-kit';
import { grants } from '../../auth/scope.ts';
import { JSON_DEPTH_MAX } from '../../http/check-json.ts';
import { optionsOf } from '../../http/call-options.ts';
import type { RouteCall } from '../../http/route.ts';
import { abortReasonOf, toStreamFailure } from '../../server/authorize.ts';
import { openResponseWriter } from './response-writer.ts';
import type { ResponseWriter } from './response-writer.ts';
import { groundCall } from './ground-call.ts';
import type { Knowledge } from './ground-call.ts';
import { runAgent } from './run-agent.ts';
import type { AgentTurns } from './run-agent.ts';
import { readDialectRequest } from './dialect-request.ts';

type Completions = Client<typeof CompletionService>;

export type CompletionServices = {
  completions: Completions;
  turns: AgentTurns;
  knowledge: Pick<Knowledge, 'retrieve'>;
};

/**
 * Returns a handler of completions in a wire dialect: it reads the model address, commits to the
 * request, calls the service and forwards its events. It writes nothing before the provider
 * responds, so an earlier failure gets its own HTTP status.
 */
export const serveCompletion =
  ({ completions, turns, knowledge }: CompletionServices, dialect: Endpoint, timeoutMs: number) =>
  async (call: RouteCall): Promise<undefined> => {
    const { body, request } = call;
    const { address, wire } = readDialectRequest(call, dialect.name);
    const { proofId = newId('pf') } = call;
    const text = commitmentText(body, { maxDepth: JSON_DEPTH_MAX });
    const certifiedCall = { proofId, address, requestSha256: hash('sha256', text, 'hex') };
    const options = { ...optionsOf(call), timeoutMs };
    const isAgent = address.kind === 'agent';
    // An agent's call is grounded by the agents service, because the agent has its own knowledge
    // sources.
    const isGrounded = address.knowledge && !isAgent;
    const ground = isGrounded ? await groundCall(knowledge, body, options) : {};
    const input = { case: 'wire', value: wire } as const;
    const events = isAgent
      ? runAgent(turns, { ...certifiedCall, body, dialect, readOnly: !canUseAgents(call) }, options)
      : completions.complete({ ...certifiedCall, ...ground, input }, options);
    const writer = openResponseWriter(dialect, call);
    // Frees the memory of the body, because the response may stream for minutes.
    Object.assign(call, { body: {}, source: new Uint8Array() });
    request.body = undefined;
    await relay(events, writer, dialect, call);
    return undefined;
  };

const canUseAgents = ({ principal }: RouteCall): boolean => grants(principal!.scopes, 'agents');

const relay = async (
  events: AsyncIterable<CompleteEvent>,
  writer: ResponseWriter,
  dialect: Endpoint,
  call: RouteCall,
): Promise<void> => {
  try {
    for await (const { event } of events) {
      const drained = writer.take(event);
      if (drained) await drained;
    }
    writer.end();
  } catch (error) {
    const { response, signal, requestId } = call;
    if (!response.headersSent || !writer.isStreaming) throw abortReasonOf(signal) ?? error;
    const failure = toStreamFailure(error, signal);
    if (!failure) return;
    // The reason is set for the log only; the client gets the error as the last frame of the
    // stream.
    response.locals.reason = failure.reason;
    response.end(dialect.encodeErrorFrame(failure, { requestId }));
  }
};
