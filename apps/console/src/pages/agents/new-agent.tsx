import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { agentsQuery, createAgent } from './agents-query.ts';
import css from './agents.module.css';
import { EMPTY_PERSONA, EXAMPLES, toNewAgent } from './persona-draft.ts';
import type { PersonaDraft } from './persona-draft.ts';
import { PersonaForm } from './persona-form.tsx';

/** The form of a new agent. */
export const NewAgent = () => {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [draft, setDraft] = useState(EMPTY_PERSONA);
  const creating = useMutation({
    mutationFn: createAgent,
    onSuccess: async ({ id }) => {
      void client.invalidateQueries({ queryKey: agentsQuery.queryKey });
      await navigate({ to: '/agents/$agentId/chat', params: { agentId: id } });
    },
  });
  return (
    <Page
      title="New agent"
      isNarrow
      intro="Name and instructions suffice. Memories, tools and documents come afterwards."
    >
      <Section title="Persona">
        <Examples onChoose={setDraft} />
        <PersonaForm
          draft={draft}
          onChange={setDraft}
          action="Create the agent"
          isPending={creating.isPending}
          error={creating.error}
          onSubmit={() => creating.mutate(toNewAgent(draft))}
        >
          <Link to="/agents" className={buttonClass('quiet')}>
            Cancel
          </Link>
        </PersonaForm>
      </Section>
    </Page>
  );
};

const Examples = ({ onChoose }: { onChoose: (draft: PersonaDraft) => void }) => (
  <div className={css.examples} role="group" aria-label="Examples">
    <span className="muted">Begin with an example:</span>
    {EXAMPLES.map((example) => (
      <Button key={example.name} onPress={() => onChoose(example)}>
        {example.name}
      </Button>
    ))}
  </div>
);
