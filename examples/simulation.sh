SIMULATION=$(curl -s $WITAN/v1/sim-engine/simulations -H "x-api-key: $KEY" \
  -H "content-type: application/json" -d '{"name":"Next two years","turnUnit":"quarter",
  "companyBase":{"sector":"saas","revenue":2400000,"employees":24,"burn":60000,"cash":1500000}}' \
  | grep -o 'sim_[A-Za-z0-9]*' | head -1)

for SCENARIO in '{"name":"As it goes"}' '{"name":"Recession","parameters":{"gdpGrowth":-2}}'; do
  curl -s $WITAN/v1/sim-engine/simulations/$SIMULATION/scenarios -H "x-api-key: $KEY" \
    -H "content-type: application/json" -d "$SCENARIO"
done

curl -sN -X POST $WITAN/v1/sim-engine/simulations/$SIMULATION/advance -H "x-api-key: $KEY" \
  -H "accept: text/event-stream"
curl -s -X POST $WITAN/v1/sim-engine/simulations/$SIMULATION/forecast -H "x-api-key: $KEY"
curl -s -X POST $WITAN/v1/sim-engine/simulations/$SIMULATION/finalize -H "x-api-key: $KEY"
