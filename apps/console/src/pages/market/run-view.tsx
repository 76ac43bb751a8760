import { useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { formatDuration } from '../../ui/format.ts';
import { Badge, Pulse } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import { SECTIONS } from './market-draft.ts';
import type { DraftItem, MarketDraft, MarketSection } from './market-draft.ts';
import type { MarketRun } from './market-run.ts';
import css from './market.module.css';

type RunViewProps = { run: MarketRun; onStop: (() => void) | undefined };

/** An analysis as it is written. */
export const RunView = ({ run, onStop }: RunViewProps) => (
  <>
    <Section>
      <p className={css.asked}>{run.question.query}</p>
      <div className={css.status}>
        <p role="status" className={css.phase}>
          <Pulse />
          {describeStep(run)}
        </p>
        <Elapsed since={run.startedAt} />
        <Button icon="close" onPress={() => onStop?.()}>
          Stop
        </Button>
      </div>
      <p className="muted">
        A draft: nothing of it has been checked. You can open other pages of the console; closing or
        reloading it ends the analysis.
      </p>
    </Section>
    {SECTIONS.map(({ name, title }) => (
      <Section
        key={name}
        title={title}
        actions={run.section === name && <Badge tone="info">Being written</Badge>}
      >
        <DraftSection draft={run.draft} name={name} />
      </Section>
    ))}
  </>
);

const describeStep = ({ status, section, model }: MarketRun): string => {
  if (status === 'starting') return 'Choosing a model…';
  const title = SECTIONS.find(({ name }) => name === section)?.title;
  return title === undefined ? `${model} is thinking…` : `${model} is writing: ${title}…`;
};

const TICK_MS = 1_000;

const Elapsed = ({ since }: { since: number }) => {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  // Whole seconds, because it changes once a second.
  const seconds = Math.max(0, Math.floor((now - since) / TICK_MS));
  return (
    <span className={css.elapsed} role="timer">
      {seconds < 60 ? `${seconds} s` : formatDuration(seconds * TICK_MS)}
    </span>
  );
};

const DraftSection = ({ draft, name }: { draft: MarketDraft; name: MarketSection }) => {
  const items = draft[name];
  if (items.length === 0) return <p className={css.placeholder}>Not written yet</p>;
  return (
    <ul className={css.draft}>
      {items.map((item, index) => (
        <li key={index}>{typeof item === 'string' ? item : <Member item={item} />}</li>
      ))}
    </ul>
  );
};

const Member = ({ item: { title, text } }: { item: DraftItem }) => (
  <>
    <strong>{title}</strong>
    {text !== '' && `: ${text}`}
  </>
);
