import type { Transaction } from '@witan/service-kit';
import type { DebateEvent } from '../domain/debate/record/debate-event.ts';
import { DebateLost } from '../domain/debate/record/debate-store.ts';
import type { DebateStep, GivenAnswer, HeldDebate } from '../domain/debate/record/debate-store.ts';
import { toAgentMessage } from '../domain/debate/record/to-messages.ts';
import { toDone, toSynthesised } from './debate-events.ts';
import type { Told } from './debate-events.ts';
import { readDebateRows } from './debate-rows.ts';
import { saveAnswers } from './save-answers.ts';
import type { AnswerStep } from './save-answers.ts';
import { writeAgentMessages, writeSynthesisMessage } from './conversation-messages.ts';
import { tellSynthesized } from './tell-synthesized.ts';

/** Writes steps and their events, if the debate is held by this lease. Throws `DebateLost`. */
export const saveSteps = async (
  em: Transaction,
  held: HeldDebate,
  steps: readonly DebateStep[],
): Promise<DebateEvent[]> => {
  // As whoever deletes it: the conversation before its debate, so that nobody waits in a circle.
  if (held.conversationId !== '' && steps.some(isSaid)) {
    await em.execute(HOLD_CONVERSATION, [held.conversationId]);
  }
  const [row] = await em.execute<Holding[]>(HOLD, [held.id, held.lease]);
  if (!row) throw new DebateLost();
  const holding = { ...held, ...row, isKept: await saveAnswers(em, held, steps) };
  const told: Told[] = [];
  for (const step of steps) told.push(...(await saveStep(em, holding, step)));
  const events = told.map((one, place) => ({
    debateId: held.id,
    seq: row.lastSeq + place + 1,
    ...one,
  }));
  await tell(em, held, { steps, events, lastSeq: row.lastSeq + told.length });
  return events;
};

/** Steps that become messages. */
const isSaid = ({ kind }: DebateStep): boolean =>
  kind === 'round-completed' || kind === 'synthesized' || kind === 'failed';

type Holding = { lastSeq: number; roundNumber: number; userMessageId: string | null };

const HOLD_CONVERSATION = 'SELECT FROM conversation WHERE id = ? FOR NO KEY UPDATE';

/** Until the transaction ends nobody else writes in the debate: events get their places in turn. */
const HOLD = `
  SELECT last_seq AS "lastSeq", round_number AS "roundNumber", message_id AS "userMessageId"
  FROM debate WHERE id = ? AND lease = ? AND state = 'running' FOR NO KEY UPDATE`;

const tell = async (
  em: Transaction,
  { id, workspaceId }: HeldDebate,
  told: { steps: readonly DebateStep[]; events: readonly DebateEvent[]; lastSeq: number },
): Promise<void> => {
  const started = told.steps.findLast((step) => step.kind === 'round-started');
  const rows = told.events.map(({ seq, kind, roundNumber, agentId }) => ({
    seq,
    kind,
    roundNumber,
    agentId,
  }));
  const round = started?.roundNumber ?? null;
  await em.execute(TELL, [id, workspaceId, JSON.stringify(rows), told.lastSeq, round, id]);
};

/** Who has come further has not been ended by the debate. */
const TELL = `
  WITH told AS (
    INSERT INTO debate_event (debate_id, seq, workspace_id, kind, round_number, agent_id)
    SELECT ?, event.seq, ?, event.kind, event."roundNumber", event."agentId"
    FROM json_to_recordset(?::json)
      AS event (seq integer, kind text, "roundNumber" integer, "agentId" text)
  )
  UPDATE debate SET last_seq = ?, round_number = coalesce(?, round_number), attempts = 1
  WHERE id = ?`;

type Place = HeldDebate & Holding & { isKept: (step: AnswerStep) => boolean };

const saveStep = async (em: Transaction, place: Place, step: DebateStep): Promise<Told[]> => {
  const { id, workspaceId } = place;
  switch (step.kind) {
    case 'framed':
      await em.execute(SET_FRAME, [JSON.stringify(step.frame), id]);
      return [{ ...OUTSIDE, kind: 'framed', issues: step.frame.issues }];
    case 'round-started':
      return [{ kind: 'round-started', roundNumber: step.roundNumber, agentId: '' }];
    case 'answered':
    case 'absent':
      return place.isKept(step) ? tellAnswer(id, step) : [];
    case 'round-completed': {
      const { roundNumber, convergenceScore, report } = step.round;
      const values = [id, roundNumber, workspaceId, convergenceScore, JSON.stringify(report)];
      await em.execute(INSERT_ROUND, values);
      await writeAgentMessages(em, place, roundNumber);
      const messageId = place.userMessageId ?? '';
      const round = { messageId, debateId: id, roundNumber, convergenceScore, report };
      return [{ kind: 'round-completed', roundNumber, agentId: '', round }];
    }
    case 'synthesized':
      return saveSynthesis(em, place, step);
    case 'failed':
      await em.execute(FAIL, [JSON.stringify(step.failure), id]);
      await writeAgentMessages(em, place);
      return [{ ...OUTSIDE, kind: 'failed', failure: step.failure }];
  }
};

const OUTSIDE = { roundNumber: 0, agentId: '' } as const;

const SET_FRAME = 'UPDATE debate SET frame = ?::json WHERE id = ?';

const INSERT_ROUND = `
  INSERT INTO debate_round (debate_id, round_number, workspace_id, convergence_score, report)
  VALUES (?, ?, ?, ?, ?::json)`;

const FAIL = `
  UPDATE debate SET state = 'failed', failure = ?::json, lease = NULL, ended_at = clock_timestamp()
  WHERE id = ?`;

const tellAnswer = (debateId: string, step: AnswerStep): Told[] => {
  const { roundNumber } = step;
  if (step.kind === 'answered') return [toCompleted(debateId, roundNumber, step.given)];
  const { agentId, agentName, reason } = step.absence;
  const failed: Told = { kind: 'agent-failed', roundNumber, agentId, agentName, reason };
  return step.carried ? [failed, toCompleted(debateId, roundNumber, step.carried)] : [failed];
};

const toCompleted = (debateId: string, roundNumber: number, given: GivenAnswer): Told => ({
  kind: 'agent-completed',
  roundNumber,
  agentId: given.answer.agentId,
  message: toAgentMessage({ debateId, roundNumber }, given),
});

const saveSynthesis = async (
  em: Transaction,
  place: Place,
  { given }: Extract<DebateStep, { kind: 'synthesized' }>,
): Promise<Told[]> => {
  const { id, workspaceId, conversationId } = place;
  await em.execute(SYNTHESIZE, [JSON.stringify(given), id]);
  if (conversationId !== '') {
    await writeSynthesisMessage(em, place, given);
    await tellSynthesized(em, place, given.synthesis);
  }
  const rows = await readDebateRows(em, workspaceId, id);
  return [
    { ...OUTSIDE, ...toSynthesised(id, given) },
    { ...OUTSIDE, ...toDone(rows!) },
  ];
};

const SYNTHESIZE = `
  UPDATE debate SET
    state = 'synthesized', synthesis = ?::json, lease = NULL, ended_at = clock_timestamp()
  WHERE id = ?`;
