import type { Advanced, AdvanceEvent } from '@witan/contracts';
import type { SimulationService } from '@witan/contracts/services';
import { parseExactly } from '@witan/dialects';
import type { Client } from '@witan/service-kit';
import { encodeAs } from '../../http/encode.ts';
import type { Reply, Route, RouteCall } from '../../http/route.ts';
import { streamEvents, toEventFrame, wantsEventStream } from '../../server/stream-events.ts';
import { CERTIFIED_ERRORS, encodeTokenUsage, openProof } from '../certified-call.ts';
import { nativeRoutes } from '../native-routes.ts';
import { SIMULATION_ID } from '../resource-id.ts';
import { scenario } from './scenario-schema.ts';
import { ADVANCE, ADVANCE_RESULT, state as stateSchema } from './simulation-schema.ts';

const { handled } = nativeRoutes('Simulations', 'sim-engine');

const EVENTS =
  '`advance.started` {turn, scenarios}; for each active scenario, as it comes, ' +
  '`scenario.decided` {scenarioId, decisions, convergenceScore, absentAgents, fallback} and ' +
  '`scenario.stepped` {state}, which counts only once `done` is there; `done` with the whole ' +
  'answer, or `error` as errors are answered elsewhere.';

export const advanceRoute = (
  simulations: Client<typeof SimulationService>,
  timeoutMs: number,
): Route =>
  handled('post', '/v1/sim-engine/simulations/{id}/advance', {
    id: 'advanceSimulation',
    summary:
      'Play one turn: the council decides in each active scenario; with Accept: ' +
      'text/event-stream as it happens',
    ids: { id: SIMULATION_ID },
    body: ADVANCE,
    idempotent: true,
    wantsStream: wantsEventStream,
    limitsStreams: true,
    responses: {
      200: {
        description:
          'One state for each active scenario; without any scenario, Baseline is made. A call ' +
          'waits up to 120 s for another that runs. Who does not know whether a turn was made ' +
          `tries again with expectedTurn. Streamed: ${EVENTS}`,
        schema: ADVANCE_RESULT,
        streamedAs: 'text/event-stream',
      },
    },
    errors: {
      ...CERTIFIED_ERRORS,
      400: 'The body is not valid',
      409:
        'The simulation is over (simulation_finalized), is at another turn than expectedTurn ' +
        '(turn_conflict), has 1,000 turns (too_many_turns), none of its scenarios is active ' +
        '(no_active_scenario), others advanced ' +
        'it for 120 s (simulation_busy), or a call with this Idempotency-Key runs or lost its ' +
        'answer',
    },
    handle: async ({ call, ids, body: { expectedTurn }, options }) => {
      const { requestSha256 } = openProof(call);
      const request = { simulationId: ids.id, expectedTurn, requestSha256 };
      const events = simulations.advance(request, { ...options, timeoutMs });
      return wantsEventStream(call)
        ? await streamAdvance(events, call)
        : await collectAdvance(events);
    },
  });

const streamAdvance = async (
  events: AsyncIterable<AdvanceEvent>,
  call: RouteCall,
): Promise<undefined> => {
  await streamEvents(requireDone(events), call, encodeFrame);
};

async function* requireDone(events: AsyncIterable<AdvanceEvent>): AsyncGenerator<AdvanceEvent> {
  let isDone = false;
  for await (const event of events) {
    isDone = event.event.case === 'advanced';
    yield event;
  }
  if (!isDone) throw incompleteStream();
}

const collectAdvance = async (events: AsyncIterable<AdvanceEvent>): Promise<Reply> => {
  let last: AdvanceEvent | undefined;
  for await (const event of events) last = event;
  if (last?.event.case !== 'advanced') throw incompleteStream();
  return { status: 200, json: encodeAdvanced(last.event.value) };
};

const incompleteStream = (): Error =>
  new Error('The stream of an advance ended without its final event');

/**
 * Encodes an event of an advance as a server-sent event. Returns an empty text for an event type
 * that this version does not know.
 */
export const encodeFrame = ({ event }: AdvanceEvent): string => {
  switch (event.case) {
    case 'started': {
      const { turn, scenarios } = event.value;
      const encoded = scenarios.map((one) => encodeAs(scenario, one));
      return toEventFrame('advance.started', { turn, scenarios: encoded });
    }
    case 'decided': {
      const { scenarioId, decisions, convergenceScore, absentAgents, fallback } = event.value;
      const data = { scenarioId, decisions: parseExactly(decisions || '{}'), convergenceScore };
      return toEventFrame('scenario.decided', { ...data, absentAgents, fallback });
    }
    case 'stepped':
      return toEventFrame('scenario.stepped', { state: encodeAs(stateSchema, event.value.state!) });
    case 'advanced':
      return toEventFrame('done', encodeAdvanced(event.value));
    case undefined:
      return '';
  }
};

const encodeAdvanced = ({ states, currentTurn, finalized, usage }: Advanced) => ({
  states: states.map((state) => encodeAs(stateSchema, state)),
  currentTurn,
  finalized,
  usage: encodeTokenUsage(usage),
  proofs: [...new Set(states.flatMap(({ proofIds }) => proofIds))],
});
