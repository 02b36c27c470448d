// A client of the types that openapi-typescript makes of the OpenAPI document: .ci/openapi checks and runs it.
import createClient from "openapi-fetch";
import type { paths } from "./schema.js";

const client = createClient<paths>({ baseUrl: process.argv[2] });
const begin = new Date(Math.ceil(Date.now() / 1000) * 1000);
const instant = (at: Date) => at.toISOString().replace(/\.\d+Z$/, "Z");
const body = {
  nodes: 8,
  duration_s: 7200,
  earliest_start: instant(begin),
  latest_start: instant(new Date(begin.getTime() + 86_400_000)),
};

function check(holds: boolean, what: unknown): asserts holds {
  if (!holds) throw new Error(JSON.stringify(what));
}

const quote = await client.POST("/api/v1/quotes", { body });
check(quote.data !== undefined && quote.data.offers.length > 0, quote);
const { start, node_count, cost } = quote.data.offers[0];
const held = await client.POST("/api/v1/reservations", { body: { ...body, expected: { start, node_count, cost } } });
check(held.data !== undefined, held);
const path = { id: held.data.id };
const booked = await client.POST("/api/v1/reservations/{id}/choose", {
  params: { path },
  body: { offer_id: held.data.offers[0].offer_id },
});
check(booked.data?.state === "confirmed", booked);
const mine = await client.GET("/api/v1/reservations", { params: { query: { state: "confirmed", newest: true, limit: 1 } } });
check(mine.data?.items[0].id === held.data.id, mine);
const refused = await client.POST("/api/v1/quotes", { body: { ...body, nodes: 0 } });
check(refused.error?.code === "invalid_body" && refused.error.errors?.[0].pointer === "/nodes", refused);
const cancelled = await client.DELETE("/api/v1/reservations/{id}", { params: { path } });
check(cancelled.data?.state === "cancelled", cancelled);
console.log("TypeScript: a client of the generated types quotes, holds, books, lists and cancels");
