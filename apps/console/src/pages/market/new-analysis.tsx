import { useEffect, useRef, useState } from 'react';
import { Link, useNavigate } from '@tanstack/react-router';
import { describeError } from '../../api/api-error.ts';
import { canUse, useSession } from '../../app/session.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Notice } from '../../ui/page-state.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Radio, RadioGroup } from '../../ui/radio-group.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { DEPTHS } from './market-query.ts';
import type { Depth, MarketQuestion } from './market-query.ts';
import { isOpen } from './market-run.ts';
import type { MarketRun } from './market-run.ts';
import css from './market.module.css';
import { RunView } from './run-view.tsx';
import { useMarketRun } from './use-market-run.ts';

/** The form of a new analysis, and then the analysis as it is written. */
export const NewAnalysis = () => {
  const { run, stop, start, dismiss } = useMarketRun();
  useOpenWhenDone(run, dismiss);
  return (
    <Page
      title="New market analysis"
      isNarrow
      intro="A model writes what it knows, in about 10 to 30 seconds. It searches no website."
    >
      {isOpen(run) ? (
        <RunView run={run} onStop={stop} />
      ) : (
        <>
          {run && <Ended run={run} />}
          <QuestionForm first={run?.question} onSubmit={start} />
        </>
      )}
    </Page>
  );
};

/** Opens an analysis that was watched until it was stored; forgets one that ended unseen. */
const useOpenWhenDone = (run: MarketRun | undefined, dismiss: () => void): void => {
  const navigate = useNavigate();
  const wasOpen = useRef(false);
  useEffect(() => {
    if (run?.status === 'done') {
      dismiss();
      if (wasOpen.current) {
        const params = { analysisId: run.id! };
        void navigate({ to: '/market/$analysisId', params, replace: true });
      }
    }
    wasOpen.current = isOpen(run);
  }, [run, dismiss, navigate]);
};

const Ended = ({ run: { status, error } }: { run: MarketRun }) => {
  if (status === 'stopped') {
    return <Notice tone="warn">You stopped the analysis. It may not be stored.</Notice>;
  }
  if (status !== 'failed') return null;
  return (
    <Notice tone="bad">
      The analysis ended before it was complete, and may not be stored. {describeError(error)}
    </Notice>
  );
};

const QUERY_LENGTH_MAX = 8_000;

const EXAMPLES = [
  'Craft bread in Lyon, for a bakery that has two shops and wants a third.',
  'Booking software for small hotels in Austria, sold by subscription.',
];

type QuestionFormProps = {
  first: MarketQuestion | undefined;
  onSubmit: (question: MarketQuestion) => void;
};

const QuestionForm = ({ first, onSubmit }: QuestionFormProps) => {
  const canAsk = canUse(useSession(), ['market-analysis']);
  const [query, setQuery] = useState(first?.query ?? '');
  const [depth, setDepth] = useState<Depth>(first?.depth ?? 'standard');
  const [isMissing, setMissing] = useState(false);
  if (!canAsk) {
    return (
      <Notice>
        Your key may read analyses, but not ask for one. Sign in with a key that has the scope
        “market-analysis”.
      </Notice>
    );
  }
  return (
    <Section title="The market">
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          setMissing(query.trim() === '');
          if (query.trim() !== '') onSubmit({ query: query.trim(), depth });
        }}
      >
        <TextField
          label="Which market, where, for whom"
          isMultiline
          maxLength={QUERY_LENGTH_MAX}
          value={query}
          onChange={setQuery}
          hint="Name the competitors that you know: they are marked as given by you"
          error={isMissing ? 'Describe the market.' : undefined}
        />
        <RadioGroup label="Depth" value={depth} onChange={(value) => setDepth(value as Depth)}>
          {Object.entries(DEPTHS).map(([value, { label, hint }]) => (
            <Radio key={value} value={value}>
              <span>
                {label} <span className="muted">– {hint}</span>
              </span>
            </Radio>
          ))}
        </RadioGroup>
        <div className={css.buttons}>
          <Button kind="primary" type="submit">
            Analyse the market
          </Button>
          <Link to="/market" className={buttonClass('quiet')}>
            Cancel
          </Link>
        </div>
        <div className={css.examples}>
          <span className="muted">Try one of these:</span>
          {EXAMPLES.map((example) => (
            <Button key={example} onPress={() => setQuery(example)}>
              {example}
            </Button>
          ))}
        </div>
      </form>
    </Section>
  );
};
