import { isServiceError } from '@witan/contracts';
import type { Caller } from '@witan/dialects';
import type { Verdict, PanelKey, PanelStore } from '../simulation/simulation.ts';
import type { TurnQuestion } from './describe-turn.ts';

/**
 * Request of a panel. Calls with the same owner and key get the same panel, which is paid for once.
 */
export type PanelCall = TurnQuestion & { owner: string; key: string; requestSha256: string };

export type AskPanel = (panel: PanelCall, caller: Caller) => Promise<Verdict>;

export type ConsultCouncilDeps = {
  councils: PanelStore;
  askPanel: AskPanel;
  /** `reason` is an error code, such as `no_agents`. */
  onFallback: (reason: string, council: PanelKey) => void;
};

type Consultation = {
  simulationId: string;
  scenarioId: string;
  turn: number;
  question: TurnQuestion;
  requestSha256: string;
};

/**
 * Returns the council's verdict for a scenario's turn. The verdict is stored before it is returned,
 * and a repeated call returns the stored one. If the council could not decide, the verdict has no
 * proposals, and `failure` is the reason. After an error that the caller can fix, the next call
 * requests another panel.
 */
export const consultPanel = async (
  { simulationId, scenarioId, turn, question, requestSha256 }: Consultation,
  caller: Caller,
  { councils, askPanel, onFallback }: ConsultCouncilDeps,
): Promise<Verdict> => {
  const council = { workspaceId: caller.workspaceId, scenarioId, turn };
  const stored = await councils.find(council);
  if (stored?.verdict) return stored.verdict;
  let attempt = stored?.attempt ?? 1;
  for (;;) {
    const key = toKey({ simulationId, turn, scenarioId, attempt });
    const outcome = await holdPanel(
      { ...question, owner: simulationId, key, requestSha256 },
      caller,
      {
        askPanel,
      },
    );
    if ('verdict' in outcome) {
      const { verdict } = outcome;
      if (verdict.failure !== undefined) onFallback(outcome.code ?? DEBATE_FAILED, council);
      // Set here, too, because later turns depend on it: it is false in verdicts without a
      // decision, and older agents services omit it.
      const localOnly = question.staysLocal ? { staysLocal: true } : {};
      return councils.saveVerdict(council, { ...verdict, ...localOnly });
    }
    if (outcome.isSpent) {
      attempt += 1;
      await councils.recordAttempt(council, attempt);
    }
    if (!outcome.isStale || attempt > ATTEMPTS_MAX) throw outcome.error;
  }
};

/**
 * Number of panels for a turn after which a call no longer requests another one at once, as
 * protection against an endless loop. It is far more than scenario changes during one turn can
 * require.
 */
const ATTEMPTS_MAX = 1_000;

const toKey = (panel: {
  simulationId: string;
  turn: number;
  scenarioId: string;
  attempt: number;
}): string => {
  const key = `${panel.simulationId}:${panel.turn}:${panel.scenarioId}`;
  return panel.attempt === 1 ? key : `${key}:${panel.attempt}`;
};

type PanelOutcome =
  /** `code`: the error code if the council could not decide. */
  | { verdict: Verdict; code?: string }
  /**
   * `isSpent`: the panel of this key failed permanently, so a retry needs another key. `isStale`:
   * the panel was requested with other content, before the scenario changed.
   */
  | { error: unknown; isSpent: boolean; isStale: boolean };

/** Code of a debate that failed, also for verdicts with a `failure`, which have no code. */
const DEBATE_FAILED = 'debate_failed';

/**
 * Codes of errors after which a turn is played with default levers: there are no agents, or too few
 * of them answered.
 */
const UNDECIDED_CODES: ReadonlySet<string> = new Set(['no_agents', DEBATE_FAILED]);

const FIXABLE_BY_CALLER: ReadonlySet<string> = new Set([
  'INSUFFICIENT_QUOTA',
  'REQUEST_TOO_LARGE',
  'LOCAL_RUNTIME_UNAVAILABLE',
  'PROVIDER_CREDENTIALS_REFUSED',
]);

const holdPanel = async (
  panel: PanelCall,
  caller: Caller,
  { askPanel }: Pick<ConsultCouncilDeps, 'askPanel'>,
): Promise<PanelOutcome> => {
  try {
    return { verdict: await askPanel(panel, caller) };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    const code = error.fields.code ?? '';
    if (UNDECIDED_CODES.has(code)) return { verdict: toUndecided(error.message), code };
    const isStale = code === 'panel_key_reused';
    return { error, isSpent: isStale || FIXABLE_BY_CALLER.has(error.reason), isStale };
  }
};

const toUndecided = (failure: string): Verdict => ({
  proposals: [],
  convergenceScore: 0,
  absentAgents: [],
  usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0 },
  proofIds: [],
  failure,
  staysLocal: false,
});
