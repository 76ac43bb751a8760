import { answerWith } from '@witan/testing';
import type { Script } from '@witan/testing';

/**
 * Returns a script that plays every model of the product. It answers each known kind of prompt with
 * JSON of the requested form, and any other prompt with text that saves a global memory. Every
 * answer except the propositions of a debate contains `remark`. If a request offers functions and
 * contains no tool result, the answer calls the first function.
 */
export const answerAsAdvisor =
  (remark: string): Script =>
  async (exchange) => {
    const request = (exchange.request.parsed ?? {}) as ChatBody;
    const prompt = JSON.stringify([request.system, request.messages]);
    const promptKind = ANSWERS_BY_PROMPT.find(([phrase]) => prompt.includes(phrase));
    const tool = request.tools?.[0]?.function?.name;
    const hasResult = request.messages?.some(({ role }) => role === 'tool') ?? false;
    const toolCalls =
      tool && !hasResult ? [{ name: tool, arguments: JSON.stringify({ pair: remark }) }] : [];
    const content = promptKind ? JSON.stringify(promptKind[1](remark)) : toMemoryAnswer(remark);
    await answerWith({ content, ...(toolCalls.length === 0 ? {} : { toolCalls }) })(exchange);
  };

type ChatBody = {
  messages?: { role: string }[];
  system?: unknown;
  tools?: { function?: { name: string } }[];
};

const toMemoryAnswer = (remark: string): string =>
  `I say ${remark}. <MEMORY key="merger" type="fact" global="true">Remember ${remark}.</MEMORY>`;

/** For each kind of prompt, a phrase by which it is recognized, and the answer. */
const ANSWERS_BY_PROMPT: readonly (readonly [string, (remark: string) => object])[] = [
  [
    'Frame the question as yes/no propositions.',
    () => ({ issues: [{ id: 'i1', proposition: 'The company should hire now.', weight: 1 }] }),
  ],
  [
    'Write the synthesis of this debate',
    (remark) => ({ content: `${remark} carried [i1].`, openQuestions: [] }),
  ],
  [
    'Take your stance on the propositions of this debate.',
    (remark) => ({
      content: `I hold ${remark}.`,
      position: remark,
      stances: ['i1', 'i2', 'i3'].map((issue) => ({ issue, stance: 1, confidence: 0.9 })),
      keyPoints: [{ id: 'p1', text: remark }],
      changedMind: false,
      changeReason: null,
      wouldChangeMind: remark,
      levers: { marketingPct: 12 },
    }),
  ],
  [
    'You extract facts',
    (remark) => ({ facts: [{ category: 'plan', key: 'k', value: remark, confidence: 0.9 }] }),
  ],
  [
    'Analyse a market',
    (remark) => ({
      marketSize: { value: null, unit: 'revenue per year', region: remark, confidence: 0.1 },
      trends: [`More of ${remark}.`],
      competitors: [],
      recommendations: [{ title: 'Ask customers', priority: 'high' }],
      assumptions: [],
    }),
  ],
  [
    'closing report of a business simulation',
    (remark) => ({ summary: `Held on: ${remark}.`, risks: ['Cash.'], recommendations: ['Save.'] }),
  ],
  ['- remark: what you know', (remark) => ({ remark })],
];
