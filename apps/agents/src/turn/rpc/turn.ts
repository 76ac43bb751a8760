import type { MessageInitShape } from '@bufbuild/protobuf';
import type { CompleteEventSchema, RunTurnRequest } from '@witan/contracts';
import type { AgentTurnService } from '@witan/contracts/services';
import { withSpanOver } from '@witan/service-kit';
import type { Handlers, OpenSpan } from '@witan/service-kit';
import { runGatewayTurn } from '../run-gateway-turn.ts';
import type { GatewayTurn, GatewayTurnDeps } from '../run-gateway-turn.ts';
import type { TurnOutcome, TurnPiece } from '../turn.ts';

type Event = MessageInitShape<typeof CompleteEventSchema>;

const OK = 200;

export const createTurnHandlers = (deps: GatewayTurnDeps): Handlers<typeof AgentTurnService> => ({
  run: (request, { workspaceId, requestId, actorId, signal }) =>
    withSpanOver(INVOKE_AGENT, (span) => {
      const turn = { ...toTurn(request), isStreamed: request.conversation?.streamed === true };
      return answer(
        turn,
        runGatewayTurn(turn, { workspaceId, requestId, actorId, signal }, deps),
        span,
      );
    }),
});

async function* answer(
  turn: Pick<GatewayTurn, 'slug' | 'isStreamed' | 'temperature'>,
  pieces: AsyncGenerator<TurnPiece, TurnOutcome>,
  span: OpenSpan,
): AsyncGenerator<{ event: Event }> {
  for (;;) {
    const { value, done } = await pieces.next();
    if (done) {
      yield { event: toCompleted(value) };
      return;
    }
    if (value.kind === 'opened') span.setAttributes({ 'gen_ai.agent.name': turn.slug });
    if (value.kind !== 'tool') yield { event: toEvent(value, turn) };
  }
}

const toTurn = ({
  address,
  conversation,
  proofId,
  requestSha256,
  readOnly: isReadOnly,
}: RunTurnRequest): Omit<GatewayTurn, 'isStreamed'> => {
  const { temperature, maxOutputTokens } = conversation?.sampling ?? {};
  return {
    slug: address?.agent ?? '',
    requested: address?.requested ?? '',
    isSensitive: address?.sensitive ?? false,
    wantsKnowledge: address?.knowledge ?? false,
    system: conversation?.system.map(({ text }) => text) ?? [],
    turns: conversation?.turns ?? [],
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    proofId,
    requestSha256,
    isReadOnly,
  };
};

const toEvent = (
  piece: Exclude<TurnPiece, { kind: 'tool' }>,
  turn: Pick<GatewayTurn, 'isStreamed' | 'temperature'>,
): Event => {
  if (piece.kind === 'delta') {
    const value = { part: { case: 'text' as const, value: piece.text } };
    return { event: { case: 'part', value } };
  }
  const { provider, model, proofId, providerMs } = piece;
  const droppedParams = toDroppedParams(piece.droppedParams, turn);
  const { isStreamed: streamed } = turn;
  const value = { provider, model, proofId, providerMs, droppedParams, status: OK, streamed };
  return { event: { case: 'opened', value: { ...value, neutral: true } } };
};

const toCompleted = ({ proofIds, finishReason, usage }: TurnOutcome): Event => ({
  event: {
    case: 'completed',
    // The last call produced the delivered answer.
    value: { proofId: proofIds.at(-1)!, finishReason, usage },
  },
});

/**
 * Name and attributes of the span of a chat turn, by the OpenTelemetry conventions for generative
 * AI. The agent's id and name are set only after the agent is found, because those of requests have
 * unbounded cardinality.
 */
export const INVOKE_AGENT = {
  name: 'invoke_agent',
  role: 'internal',
  attributes: { 'gen_ai.operation.name': 'invoke_agent' },
} as const;

/**
 * Returns the parameters that the client has set and the provider does not support. Of the
 * parameters that a provider may not support, clients of an agent can set only `temperature`.
 */
export const toDroppedParams = (
  dropped: readonly string[],
  { temperature }: { temperature?: number | undefined },
): string[] => (temperature === undefined ? [] : dropped.filter((name) => name === 'temperature'));
