import type { AnswerEvent } from '../../api/post-events.ts';
import { EMPTY_DRAFT, SECTIONS, toDraft } from './market-draft.ts';
import type { MarketDraft, MarketSection } from './market-draft.ts';
import type { MarketQuestion } from './market-query.ts';
import { parsePartialJson } from './partial-json.ts';

/** An analysis that is being written. */
export type MarketRun = {
  question: MarketQuestion;
  /** Milliseconds since the epoch. */
  startedAt: number;
  status: 'starting' | 'writing' | 'done' | 'stopped' | 'failed';
  /** Of the analysis, once it is stored. */
  id: string | undefined;
  model: string | undefined;
  /** The section that is being written. */
  section: MarketSection | undefined;
  /** The JSON text so far. */
  text: string;
  /** As far as {@link updateDraft} has parsed the text. */
  draft: MarketDraft;
  /** Why the analysis failed. */
  error: unknown;
};

export const startRun = (question: MarketQuestion, startedAt: number): MarketRun => ({
  question,
  startedAt,
  status: 'starting',
  id: undefined,
  model: undefined,
  section: undefined,
  text: '',
  draft: EMPTY_DRAFT,
  error: undefined,
});

type OpenRun = MarketRun & { status: 'starting' | 'writing' };

export const isOpen = (run: MarketRun | undefined): run is OpenRun =>
  run?.status === 'starting' || run?.status === 'writing';

/**
 * Returns the analysis after an event of its stream; unknown events change nothing. The draft is
 * updated by {@link updateDraft} only, because each update parses the whole text.
 */
export const applyMarketEvent = (run: MarketRun, { event, content }: AnswerEvent): MarketRun => {
  switch (event) {
    case 'started': {
      const { model } = content as { model: string };
      return { ...run, status: 'writing', model };
    }
    case 'section': {
      const { name } = content as { name: string };
      const known = SECTIONS.find((section) => section.name === name);
      return known ? { ...run, section: known.name } : run;
    }
    case 'delta':
      return { ...run, text: run.text + (content as { content: string }).content };
    case 'completed': {
      const { id } = content as { id: string };
      return { ...run, status: 'done', id, section: undefined };
    }
    default:
      return run;
  }
};

/** Returns the analysis with the draft of its text, or unchanged if the text cannot be parsed. */
export const updateDraft = (run: MarketRun): MarketRun => {
  const value = parsePartialJson(run.text);
  return value === undefined ? run : { ...run, draft: toDraft(value) };
};

export const stopRun = (run: MarketRun): MarketRun => ({ ...run, status: 'stopped' });

export const failRun = (run: MarketRun, error: unknown): MarketRun => ({
  ...run,
  status: 'failed',
  error,
});
