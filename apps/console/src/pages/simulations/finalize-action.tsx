import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { notifyError } from '../../ui/toast.tsx';
import { finalizeSimulation, refreshSimulation, reportQuery } from './simulations-query.ts';

/** Ends the simulation after a confirmation, and opens its report. */
export const FinalizeAction = ({ simulationId }: { simulationId: string }) => {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const finalizing = useMutation({
    mutationFn: () => finalizeSimulation(simulationId),
    onSuccess: async ({ report }) => {
      client.setQueryData(reportQuery(simulationId).queryKey, report);
      void refreshSimulation(client, simulationId);
      await navigate({ to: '/simulations/$simulationId/report', params: { simulationId } });
    },
    onError: (error) => {
      setAsking(false);
      notifyError(error);
    },
  });
  return (
    <>
      <Button onPress={() => setAsking(true)}>Finish</Button>
      <ConfirmDialog
        title="Finish the simulation?"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        action="Finish and write the report"
        isPending={finalizing.isPending}
        onConfirm={() => finalizing.mutate()}
      >
        <p>
          No further turn can be played afterwards. The report is written from the computed figures,
          which can take a minute.
        </p>
      </ConfirmDialog>
    </>
  );
};
