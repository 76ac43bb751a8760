import { isServiceError } from '@witan/contracts';
import type { Caller } from '../model/model-call.ts';
import type { Verdict } from '../simulation/simulation.ts';
import type { TurnQuestion } from './describe-turn.ts';
import type { CouncilPlace, CouncilStore } from './turn-store.ts';

/** A question to the council: the same owner and key is the same panel, held and paid for once. */
export type PanelCall = TurnQuestion & { owner: string; key: string; requestSha256: string };

/** Waits for what the council decides. Rejects as the panel fails. */
export type AskPanel = (panel: PanelCall, caller: Caller) => Promise<Verdict>;

export type ConsultCouncilDeps = {
  councils: CouncilStore;
  askPanel: AskPanel;
  onFallback: (failure: string, place: CouncilPlace) => void;
};

export type Consultation = {
  simulationId: string;
  scenarioId: string;
  turn: number;
  question: TurnQuestion;
  requestSha256: string;
};

/**
 * What the council of a scenario decides for a turn, kept before it is answered: whoever asks again
 * asks nobody. Where nobody could decide the verdict is empty and says why. Rejects with what the
 * caller can mend; then nothing was decided, and the next call holds another panel.
 */
export const consultCouncil = async (
  { simulationId, scenarioId, turn, question, requestSha256 }: Consultation,
  caller: Caller,
  { councils, askPanel, onFallback }: ConsultCouncilDeps,
): Promise<Verdict> => {
  const place = { workspaceId: caller.workspaceId, scenarioId, turn };
  const kept = await councils.find(place);
  if (kept?.verdict) return kept.verdict;
  let attempt = kept?.attempt ?? 1;
  for (;;) {
    const key = toKey({ simulationId, turn, scenarioId, attempt });
    const ended = await hold({ ...question, owner: simulationId, key, requestSha256 }, caller, {
      askPanel,
    });
    if ('verdict' in ended) {
      const { verdict } = ended;
      if (verdict.failure !== undefined) onFallback(verdict.failure, place);
      // Also where nobody decided, or an older release does not say: later turns go by this one.
      const stays = question.staysLocal ? { staysLocal: true } : {};
      return councils.saveVerdict(place, { ...verdict, ...stays });
    }
    if (ended.isSpent) {
      attempt += 1;
      await councils.noteAttempt(place, attempt);
    }
    if (!ended.isStale || attempt > ATTEMPTS_MAX) throw ended.error;
  }
};

/** Far more than a scenario is changed in the middle of a turn. */
const ATTEMPTS_MAX = 1_000;

/** Of one scenario's turn; the first has no number. */
const toKey = (of: {
  simulationId: string;
  turn: number;
  scenarioId: string;
  attempt: number;
}): string => {
  const key = `${of.simulationId}:${of.turn}:${of.scenarioId}`;
  return of.attempt === 1 ? key : `${key}:${of.attempt}`;
};

type Ended =
  | { verdict: Verdict }
  /**
   * Spent: the panel of this key ended and will never answer otherwise. Stale: it was asked
   * something else, before the scenario changed.
   */
  | { error: unknown; isSpent: boolean; isStale: boolean };

/** That there is nobody, or that too few could answer, is no reason for time to stand still. */
const NOBODY_DECIDED: ReadonlySet<string> = new Set(['no_agents', 'debate_failed']);

/** What a panel fails of for good, and whoever asks can mend. */
const MENDABLE: ReadonlySet<string> = new Set([
  'INSUFFICIENT_QUOTA',
  'REQUEST_TOO_LARGE',
  'LOCAL_RUNTIME_UNAVAILABLE',
  'PROVIDER_CREDENTIALS_REFUSED',
]);

const hold = async (
  panel: PanelCall,
  caller: Caller,
  { askPanel }: Pick<ConsultCouncilDeps, 'askPanel'>,
): Promise<Ended> => {
  try {
    return { verdict: await askPanel(panel, caller) };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    const code = error.fields.code ?? '';
    if (NOBODY_DECIDED.has(code)) return { verdict: nobody(error.message) };
    const isStale = code === 'panel_key_reused';
    return { error, isSpent: isStale || MENDABLE.has(error.reason), isStale };
  }
};

const nobody = (failure: string): Verdict => ({
  proposals: [],
  convergenceScore: 0,
  absentAgents: [],
  usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0 },
  proofIds: [],
  failure,
  staysLocal: false,
});
