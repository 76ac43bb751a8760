import { answerWith } from '@witan/testing';
import type { Script } from '@witan/testing';

/**
 * Returns a script that plays every model of the product: it answers each kind of prompt in the
 * requested form, with `remark` in every text. As an agent with tools it first calls one, then
 * writes the remark as a global memory.
 */
export const answerAsAdvisor =
  (remark: string): Script =>
  async (exchange) => {
    const asked = (exchange.request.parsed ?? {}) as ChatBody;
    const prompt = JSON.stringify([asked.system, asked.messages]);
    const form = FORMS.find(([sign]) => prompt.includes(sign));
    const tool = asked.tools?.[0]?.function?.name;
    const hasResult = asked.messages?.some(({ role }) => role === 'tool') ?? false;
    const toolCalls =
      tool && !hasResult ? [{ name: tool, arguments: JSON.stringify({ pair: remark }) }] : [];
    const content = form ? JSON.stringify(form[1](remark)) : toNote(remark);
    await answerWith({ content, ...(toolCalls.length === 0 ? {} : { toolCalls }) })(exchange);
  };

type ChatBody = {
  messages?: { role: string }[];
  system?: unknown;
  tools?: { function?: { name: string } }[];
};

const toNote = (remark: string): string =>
  `I say ${remark}. <MEMORY key="merger" type="fact" global="true">Remember ${remark}.</MEMORY>`;

/** For each kind of prompt: a phrase that only it contains, and the answer to it. */
const FORMS: readonly (readonly [string, (remark: string) => object])[] = [
  [
    'Frame the question as yes/no propositions.',
    () => ({ issues: [{ id: 'i1', proposition: 'The company should hire now.', weight: 1 }] }),
  ],
  ['Write the synthesis of this debate', (remark) => ({ content: remark, openQuestions: [] })],
  [
    'changeReason',
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
  ['The object has all of these fields', (remark) => ({ remark })],
];
