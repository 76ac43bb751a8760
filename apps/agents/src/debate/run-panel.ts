import { invalidRequest, isReason, ServiceError } from '@witan/contracts';
import type { Answer, Issue, Round } from './debate.ts';
import type { DebateArchive, StoredDebate } from './record/debate-store.ts';
import { DEBATE_FAILED } from './record/debate-failure.ts';
import { followDebate, noSuchDebate } from './runner/follow-debate.ts';
import type { FollowDebateDeps, FollowSignals } from './runner/follow-debate.ts';
import type { Lever } from './debate.ts';
import type { NewQuestion, StartDebate } from './start-debate.ts';

export type PanelRequest = Omit<NewQuestion, 'origin'> & { owner: string; key: string };

export type Panel = {
  id: string;
  answers: readonly Answer[];
  rounds: readonly Round[];
  absentAgents: readonly string[];
  debate: StoredDebate;
  failure: string;
};

export type RunPanelDeps = FollowDebateDeps & {
  start: StartDebate;
  archive: Pick<DebateArchive, 'load' | 'readEvents'>;
};

const LEVERS_MAX = 32;
const ISSUES_MAX = 20;
/**
 * Issue ids start with a lower-case letter, because in prompts the ids of members and points start
 * with capitals.
 */
const ISSUE_ID = /^[a-z]\w{0,31}$/;
const TEXT_LENGTH_MAX = 1_000;
const KEY = /^[\x21-\x7e]{1,200}$/;

/**
 * Resolves with the council's decisions on the levers. Owner and key form an idempotency key: the
 * panel runs once, and later calls return the same result. A panel whose debate failed with
 * `debate_failed`, for example because too few agents answered, resolves with that failure. Rejects
 * with INVALID_REQUEST for invalid levers, issues, owner or key, with the errors of `start` and
 * `followDebate`, and with the reason of a debate that failed with another code.
 */
export const runPanel = async (
  workspaceId: string,
  { owner, key, ...panelQuestion }: PanelRequest,
  signals: FollowSignals,
  deps: RunPanelDeps,
): Promise<Panel> => {
  checkPanel({ owner, key, levers: panelQuestion.levers, issues: panelQuestion.issues });
  const origin = { kind: 'panel' as const, owner, key };
  const { debateId } = await deps.start(workspaceId, { ...panelQuestion, origin });
  const position = { workspaceId, debateId, afterSeq: 0, wantsDeltas: false };
  for await (const update of followDebate(position, signals, deps)) {
    if (update.kind !== 'event' || update.event.kind !== 'failed') continue;
    const { kind, code, message } = update.event.failure;
    if (code === DEBATE_FAILED) break;
    const options = code === '' ? {} : { fields: { code } };
    throw new ServiceError(isReason(kind) ? kind : 'INTERNAL', message, options);
  }
  const debate = await deps.archive.load(workspaceId, debateId);
  if (!debate) throw noSuchDebate();
  return toPanel(debate);
};

/**
 * Converts a stored debate to a panel. If the debate failed, agents with a stale answer in its last
 * round count as absent.
 */
const toPanel = (debate: StoredDebate): Panel => {
  const { id, rounds, openRound, failure, config } = debate;
  const { answers = [] } = openRound ?? rounds.at(-1) ?? {};
  const currentAnswers = failure ? answers.filter(({ isStale }) => !isStale) : answers;
  const answeredAgentIds = new Set(currentAnswers.map(({ agentId }) => agentId));
  return {
    id,
    answers: failure ? [] : answers,
    rounds,
    absentAgents: config.agents
      .filter((agent) => !answeredAgentIds.has(agent.id))
      .map(({ name }) => name),
    debate,
    failure: failure?.message ?? '',
  };
};

const checkPanel = ({
  owner,
  key,
  levers,
  issues = [],
}: Pick<PanelRequest, 'owner' | 'key' | 'levers' | 'issues'>): void => {
  for (const [param, text] of Object.entries({ owner, key })) {
    if (!KEY.test(text)) {
      const message = `${param} must have 1 to 200 letters, digits and signs of ASCII.`;
      throw invalidRequest(message, { param });
    }
  }
  const errors = { levers: findLeverError(levers), issues: findIssueError(issues) };
  for (const [param, error] of Object.entries(errors)) {
    if (error !== undefined) throw invalidRequest(`${param} ${error}.`, { param });
  }
};

const findLeverError = (levers: readonly Lever[]): string | undefined => {
  if (levers.length > LEVERS_MAX) return 'are too many';
  if (new Set(levers.map(({ name }) => name)).size < levers.length) return 'have a name twice';
  const isWrong = levers.some(
    ({ name, description, min, max, defaultValue }) =>
      !/^[A-Za-z]\w{0,63}$/.test(name) ||
      !isValidText(description) ||
      ![min, max, defaultValue].every(Number.isFinite) ||
      defaultValue < min ||
      defaultValue > max,
  );
  return isWrong ? 'need a name of letters and digits, and a default from min to max' : undefined;
};

const findIssueError = (issues: readonly Issue[]): string | undefined => {
  if (issues.length > ISSUES_MAX) return 'are too many';
  if (new Set(issues.map(({ id }) => id)).size < issues.length) return 'have an id twice';
  const isWrong = issues.some(
    ({ id, proposition, weight }) =>
      !ISSUE_ID.test(id) ||
      !isValidText(proposition) ||
      proposition.trim() === '' ||
      !Number.isFinite(weight) ||
      weight <= 0,
  );
  return isWrong ? 'need an id that begins small, a proposition and a weight above 0' : undefined;
};

const isValidText = (text: string): boolean =>
  text.length <= TEXT_LENGTH_MAX && text.isWellFormed() && !text.includes('\0');
