import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { describeError } from '../../api/api-error.ts';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copyable.tsx';
import { Notice } from '../../ui/page-state.tsx';
import { Section } from '../../ui/page.tsx';
import { TextField } from '../../ui/text-field.tsx';
import type { Agent } from './agents-query.ts';
import css from './agents.module.css';
import { searchPassages } from './knowledge-query.ts';
import type { Passage, Source } from './knowledge-query.ts';

const HASH_SHOWN = 12;

type PassageSearchProps = { agent: Agent; sources: readonly Source[] };

/** Shows which passages of its sources the agent would find for a question. */
export const PassageSearch = ({ agent, sources }: PassageSearchProps) => {
  const [question, setQuestion] = useState('');
  const searching = useMutation({
    mutationFn: (query: string) =>
      searchPassages(
        query,
        sources.map(({ id }) => id),
      ),
  });
  return (
    <Section
      title="Passages for a question"
      intro={`From the sources of ${agent.name}, the best first. No model is called.`}
    >
      <form
        className={css.line}
        onSubmit={(event) => {
          event.preventDefault();
          if (question.trim() !== '') searching.mutate(question.trim());
        }}
      >
        <TextField label="Question" value={question} onChange={setQuestion} />
        <Button type="submit" isPending={searching.isPending} isDisabled={question.trim() === ''}>
          Find passages
        </Button>
      </form>
      {searching.isError && <Notice tone="bad">{describeError(searching.error)}</Notice>}
      {searching.data && <Passages passages={searching.data} />}
    </Section>
  );
};

const Passages = ({ passages }: { passages: readonly Passage[] }) =>
  passages.length === 0 ? (
    <p role="status" className="muted">
      Nothing was found. Use words that stand in the documents; the rarest ones decide.
    </p>
  ) : (
    <ol className={css.rows} aria-label="Passages">
      {passages.map(({ chunkId, title, source, page, text, sha256 }) => (
        <li key={chunkId} className={css.passage}>
          <p className={css.rowHead}>
            <strong>{title}</strong>
            <span className="muted">
              {source}
              {page !== null && `, page ${page}`}
            </span>
          </p>
          <blockquote className={css.quote}>{text}</blockquote>
          <p className={css.small}>
            SHA-256, as certificates name it:{' '}
            <Copyable
              text={sha256}
              shown={`${sha256.slice(0, HASH_SHOWN)}…`}
              name="hash of the passage"
            />
          </p>
        </li>
      ))}
    </ol>
  );
