curl -s $WITAN/v1/webhooks -H "x-api-key: $KEY" -H "content-type: application/json" \
  -d '{"url":"'$URL'","events":["debate.synthesized","simulation.report.ready"]}'
