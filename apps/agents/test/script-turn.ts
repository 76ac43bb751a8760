import { toTextTurn } from '@witan/dialects';
import type { Agent } from '../src/agent/agent.ts';
import type { Passage } from '../src/knowledge/passage.ts';
import { toExchanges } from '../src/prompt/to-exchanges.ts';
import type { RunTool, TurnTool } from '../src/tool/tool.ts';
import { preparePrompt } from '../src/turn/prepare-prompt.ts';
import { runTurn } from '../src/turn/run-turn.ts';
import type { Turn, TurnPiece } from '../src/turn/turn.ts';
import type { TurnOptions } from '../src/turn/prepare-prompt.ts';
import type { scriptModel } from './script-model.ts';

export const AGENT: Agent = {
  id: 'agt_1',
  name: 'Ann',
  slug: 'ann',
  role: '',
  systemPrompt: 'You advise.',
  personality: '',
  mission: '',
  decisionStyle: '',
  model: '',
  createdAt: new Date(0),
  updatedAt: new Date(0),
};

type TurnScenario = {
  message?: string;
  options?: Partial<TurnOptions>;
  tools?: readonly TurnTool[];
  passages?: readonly Passage[];
  contextTokens?: number;
  isShownLive?: boolean;
};

export const turnOf = ({
  message = 'hi',
  options = {},
  tools = [],
  passages = [],
  contextTokens = 10_000,
  isShownLive = true,
}: TurnScenario = {}): Turn => {
  const turnOptions = { reflection: false, maxOutputTokens: 100, ...options };
  return {
    agent: AGENT,
    options: turnOptions,
    tools,
    requested: 'agent:ann',
    isSensitive: false,
    isShownLive,
    areToolsShown: true,
    proofId: 'pf_client',
    requestSha256: 'ab',
    prepared: preparePrompt({
      agent: AGENT,
      options: turnOptions,
      contextTokens,
      ratio: 1,
      current: toExchanges([toTextTurn('user', message)])[0]!,
      history: [],
      context: [],
      chooseMemories: () => ({ text: '', omitted: 0 }),
      tools,
      passages,
    }),
  };
};

const rejectToolCalls: RunTool = () => {
  throw new Error('unexpected tool call');
};

export const runScriptedTurn = async (
  turn: Turn,
  { openCall }: ReturnType<typeof scriptModel>,
  { runTool = rejectToolCalls, signal = new AbortController().signal } = {},
) => {
  let count = 0;
  const newId = (prefix: string): string => `${prefix}_${(count += 1)}`;
  const pieces = runTurn(
    turn,
    { isGatewayCall: false, mayShareMemories: async () => true },
    { workspaceId: 'ws', requestId: 'r', signal },
    { openCall, newId, runTool, toolRoundsMax: 3 },
  );
  const yieldedPieces: TurnPiece[] = [];
  for (;;) {
    const { value, done } = await pieces.next();
    if (done) {
      const shownTexts = yieldedPieces.flatMap((piece) =>
        piece.kind === 'delta' ? [piece.text] : [],
      );
      const openedProofIds = yieldedPieces.flatMap((piece) =>
        piece.kind === 'opened' ? [piece.proofId] : [],
      );
      return { outcome: value, seen: yieldedPieces, shown: shownTexts, opened: openedProofIds };
    }
    yieldedPieces.push(value);
  }
};
