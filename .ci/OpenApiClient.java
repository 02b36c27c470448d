import generated.ApiClient;
import generated.ApiException;
import generated.api.BookApi;
import generated.api.ClusterApi;
import generated.api.PlanningApi;
import generated.model.ChoiceDocument;
import generated.model.DecisionDocument;
import generated.model.OfferDocument;
import generated.model.QuoteRequest;
import generated.model.ReservationDocument;
import generated.model.ReservationRequest;
import generated.model.ReservationsPage;
import generated.model.ShownOffer;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

/** Speaks to a demonstration by the client that openapi-generator makes of the OpenAPI document: .ci/openapi runs it. */
class OpenApiClient {
    static void check(boolean holds, Object what) {
        if (!holds) throw new AssertionError(what);
    }

    public static void main(String[] arguments) throws Exception {
        ApiClient client = new ApiClient();
        client.updateBaseUri(arguments[0]);
        PlanningApi planning = new PlanningApi(client);
        OffsetDateTime now = OffsetDateTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.SECONDS);
        DecisionDocument quote = planning.createQuote(
            new QuoteRequest().nodes(8L).durationS(7200).earliestStart(now).latestStart(now.plusDays(1)));
        check(!quote.getOffers().isEmpty(), quote);
        OfferDocument first = quote.getOffers().get(0);
        ShownOffer shown = new ShownOffer().start(first.getStart()).nodeCount(first.getNodeCount()).cost(first.getCost());
        ReservationRequest request = new ReservationRequest()
            .nodes(8L).durationS(7200).earliestStart(now).latestStart(now.plusDays(1)).expected(shown);
        ReservationDocument held = planning.createReservation(request, (String) null);
        ChoiceDocument choice = new ChoiceDocument().offerId(held.getOffers().get(0).getOfferId());
        ReservationDocument booked = planning.chooseOffer(held.getId(), choice, (String) null);
        check(booked.getState().equals("confirmed"), booked);
        ReservationsPage mine = planning.listReservations("confirmed", null, null, null, null, null, true, null, 1);
        check(mine.getItems().get(0).getId().equals(held.getId()), mine);
        try {
            planning.createQuote(new QuoteRequest().nodes(0L).durationS(7200).earliestStart(now).latestStart(now));
            throw new AssertionError("no node was booked");
        } catch (ApiException refused) {
            check(refused.getCode() == 400 && refused.getResponseBody().contains("\"/nodes\""), refused);
        }
        check(new ClusterApi(client).listNodes(null, null).getCount() == 44, "nodes");
        check(!new BookApi(client).getPowerProfile(null, null, null).getSteps().isEmpty(), "steps");
        System.out.println("Java: a generated client quotes, holds, books and lists");
    }
}
