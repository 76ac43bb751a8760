import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { maskInWorker } from '../../../masking/mask-in-worker.ts';
import type { Stretch } from '../../../masking/mask-text.ts';
import { Button } from '../../../ui/button.tsx';
import { formatCountOf } from '../../../ui/format.ts';
import { Problem } from '../../../ui/page-state.tsx';
import { Section } from '../../../ui/page.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import css from './try-out.module.css';
import { describeCategory } from './categories.ts';
import type { Privacy } from './categories.ts';

const EXAMPLE =
  'Dear Mrs. Anna Lindqvist, your order of 12 May is on its way. ' +
  'Questions? Call +44 20 7946 0123 or write to anna.lindqvist@example.org.';

/** Masks a text by the settings as they are shown, saved or not. */
export const TryOut = ({ settings }: { settings: Privacy }) => {
  const [text, setText] = useState(EXAMPLE);
  const masking = useMutation({ mutationFn: maskInWorker });
  return (
    <Section
      title="Try it out"
      intro={
        'This browser masks the text by the choices above, also those that are not saved yet. ' +
        'The text is not sent anywhere.'
      }
    >
      <TextField label="Text" isMultiline value={text} onChange={setText} />
      <div>
        <Button
          icon="shield"
          isPending={masking.isPending}
          onPress={() => masking.mutate({ text, settings })}
        >
          Mask the text
        </Button>
      </div>
      <div aria-live="polite" className={css.result}>
        <Problem error={masking.error} />
        {masking.data && <Masked stretches={masking.data} />}
      </div>
    </Section>
  );
};

const Masked = ({ stretches }: { stretches: readonly Stretch[] }) => {
  // As in certificates: a text that looks like a placeholder is escaped, not masked.
  const count = stretches.filter(
    ({ category }) => category !== null && category !== 'LITERAL',
  ).length;
  return (
    <>
      <p className={css.count}>
        {count === 0 ? 'Nothing is masked' : `${formatCountOf(count, 'value')} masked`}
      </p>
      <div className={css.sides}>
        <Side title="Original" stretches={stretches} textOf={({ original }) => original} />
        <Side
          title="What the provider gets"
          stretches={stretches}
          textOf={({ masked }) => masked}
        />
      </div>
      <p className="muted">
        The last characters of a placeholder depend on the workspace and the provider, so they
        differ from these. Names in free text are found by a small model, which misses some.
      </p>
    </>
  );
};

type SideProps = {
  title: string;
  stretches: readonly Stretch[];
  textOf: (stretch: Stretch) => string;
};

const Side = ({ title, stretches, textOf }: SideProps) => (
  <figure className={css.side}>
    <figcaption className={css.title}>{title}</figcaption>
    <p className={css.text}>
      {stretches.map((stretch, index) =>
        stretch.category === null ? (
          <span key={index}>{textOf(stretch)}</span>
        ) : (
          <mark key={index} className={css.mark} title={describeCategory(stretch.category)}>
            {textOf(stretch)}
          </mark>
        ),
      )}
    </p>
  </figure>
);
