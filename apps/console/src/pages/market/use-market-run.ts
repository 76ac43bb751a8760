import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { postEvents } from '../../api/post-events.ts';
import { sessionSignal } from '../../app/session.ts';
import { notify } from '../../ui/toast.tsx';
import { analysesQuery } from './market-query.ts';
import type { MarketQuestion } from './market-query.ts';
import { applyMarketEvent, failRun, startRun, stopRun, updateDraft } from './market-run.ts';
import type { MarketRun } from './market-run.ts';

/** The newest analysis of this visit, with what ends it early; null after it was dismissed. */
type Running = { run: MarketRun; stop: () => void } | null;

const RUN_KEY = ['market-run'] as const;

/**
 * Runs one market analysis at a time. It is in the caches, not in the component, so that it goes on
 * when another page of the console is opened. Closing or reloading the console ends it, and it may
 * not be stored, so the browser asks first. Signing out ends it, too.
 */
export const useMarketRun = () => {
  const client = useQueryClient();
  const { data: running } = useQuery<Running>({
    queryKey: RUN_KEY,
    queryFn: skipToken,
    gcTime: Infinity,
  });
  const { mutate: start } = useMutation({
    mutationKey: RUN_KEY,
    mutationFn: (question: MarketQuestion) => runAnalysis(client, question),
  });
  const dismiss = (): void => void client.setQueryData<Running>(RUN_KEY, null);
  return { run: running?.run, stop: running?.stop, start, dismiss };
};

const runAnalysis = async (client: QueryClient, question: MarketQuestion): Promise<void> => {
  const stream = new AbortController();
  const leaving = new AbortController();
  const ended = sessionSignal();
  let run = startRun(question, Date.now());
  const show = (next: MarketRun): void => {
    run = next;
    if (ended.aborted) return;
    client.setQueryData(RUN_KEY, { run, stop: () => stream.abort() });
  };
  // Parses the text at most once for each frame that the browser paints.
  let frame: number | undefined;
  const showDraft = (): void => {
    frame = undefined;
    show(updateDraft(run));
  };
  show(run);
  addEventListener('beforeunload', (event) => event.preventDefault(), { signal: leaving.signal });
  const signal = AbortSignal.any([stream.signal, ended]);
  const call = { body: question, signal, last: 'completed', reconnectsMax: 0 };
  try {
    for await (const event of postEvents('/v1/market-analysis/stream', call)) {
      const next = applyMarketEvent(run, event);
      if (event.event === 'delta') {
        run = next;
        frame ??= requestAnimationFrame(showDraft);
      } else {
        show(next);
      }
    }
  } catch (error) {
    // Once it is stored, an error of its connection does not matter.
    if (run.status !== 'done') {
      show(stream.signal.aborted ? stopRun(run) : failRun(run, error));
    }
  } finally {
    leaving.abort();
    if (frame !== undefined) cancelAnimationFrame(frame);
  }
  if (ended.aborted) return;
  if (run.status === 'done') notify('The market analysis is ready');
  // An analysis that was stopped, or whose connection was lost, may be stored too.
  await client.invalidateQueries({ queryKey: analysesQuery.queryKey });
};
