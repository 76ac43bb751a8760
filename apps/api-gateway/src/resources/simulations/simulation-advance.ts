import type { AdvanceEvent } from '@witan/contracts';
import type { SimulationService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import { toEventFrame } from '../../http/event-stream.ts';
import type { Reply, Route, RouteCall } from '../../http/route.ts';
import { streamEvents, wantsEventStream } from '../../server/stream-events.ts';
import { CERTIFIED_ERRORS, openProof } from '../certified-call.ts';
import { encodeAdvanced, encodeAdvanceEvent } from './encode-advance-event.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { ADVANCE, ADVANCE_RESULT } from './simulation-schema.ts';
import { SIMULATION_ID } from '../resource-id.ts';
import type { Static } from '../../http/schema.ts';

type Simulations = Client<typeof SimulationService>;

const EVENTS =
  '`advance.started` {turn, scenarios}; for each active scenario, as it comes, ' +
  '`scenario.decided` {scenarioId, decisions, convergenceScore, absentAgents, fallback} and ' +
  '`scenario.stepped` {state}, which counts only once `done` is there; `done` with the whole ' +
  'answer, or `error` as errors are answered elsewhere.';

export const advanceRoute = (simulations: Simulations, timeoutMs: number): Route => ({
  id: 'advanceSimulation',
  method: 'post',
  path: '/v1/sim-engine/simulations/{id}/advance',
  surface: 'native',
  tag: 'Simulations',
  summary:
    'Play one turn: the council decides in each active scenario; with Accept: text/event-stream ' +
    'as it happens',
  scopes: ['sim-engine'],
  body: ADVANCE,
  idempotent: true,
  wantsStream: wantsEventStream,
  responses: {
    200: {
      description:
        'One state for each active scenario; without any scenario, Baseline is made. A call ' +
        'waits up to 120 s for another that runs. Who does not know whether a turn was made ' +
        `tries again with expectedTurn. Streamed: ${EVENTS}`,
      schema: ADVANCE_RESULT,
      streamedAs: 'text/event-stream',
    },
    ...CERTIFIED_ERRORS,
    400: DOCUMENTED_ERROR.native('The body is not valid'),
    404: DOCUMENTED_ERROR.native('No such simulation in this workspace'),
    409: DOCUMENTED_ERROR.native(
      'The simulation is over (simulation_finalized), is at another turn than expectedTurn ' +
        '(turn_conflict), has 1,000 turns (too_many_turns), none of its scenarios is active ' +
        '(no_active_scenario), others advanced ' +
        'it for 120 s (simulation_busy), or a call with this Idempotency-Key runs or lost its ' +
        'answer',
    ),
  },
  handle: async (call) => {
    const { expectedTurn } = call.body as Static<typeof ADVANCE>;
    const { requestSha256 } = openProof(call);
    const request = {
      simulationId: SIMULATION_ID.read(call.params.id),
      expectedTurn,
      requestSha256,
    };
    const events = simulations.advance(request, { ...optionsOf(call), timeoutMs });
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

const encodeFrame = (event: AdvanceEvent): string => {
  const encoded = encodeAdvanceEvent(event);
  return encoded ? toEventFrame(encoded.name, encoded.data) : '';
};

const collectAdvance = async (events: AsyncIterable<AdvanceEvent>): Promise<Reply> => {
  let last: AdvanceEvent | undefined;
  for await (const event of events) last = event;
  if (last?.event.case !== 'advanced') throw incompleteStream();
  return { status: 200, json: encodeAdvanced(last.event.value) };
};

const incompleteStream = (): Error =>
  new Error('The stream of an advance ended without its final event');
