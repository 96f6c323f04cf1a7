/* Whether those who want to be told are told. */
#include <inttypes.h>

#include "api/doctor.h"

static void check_way(struct doctor *doctor, const struct alerts_view *view)
{
    doctor_check(doctor, "alerts_sent", "system", "Do alerts reach who wants them?");
    doctor_looked(doctor, "%" PRIu64 " were told, %zu wait and %" PRIu64 " were given up", view->sent, view->waiting,
                  view->dropped);
    if (view->error.code != ERR_OK) {
        (void)doctor_find(doctor, DOCTOR_WARNING, "see whether the webhook of alert-url works",
                          "%zu alerts wait: %s could not be told: %s", view->waiting, view->place, view->error.text);
        doctor_found(doctor);
    }
    if (view->dropped > 0) {
        (void)doctor_find(doctor, DOCTOR_WARNING, "see whether the webhook of alert-url works",
                          "%" PRIu64 " alerts were given up and not told", view->dropped);
        doctor_found(doctor);
    }
}

void doctor_alerts(struct doctor *doctor, struct alerts *alerts)
{
    struct alerts_view view;
    int firing = 0;

    if (alerts == NULL) {
        return;
    }
    alerts_look(alerts, &view);
    check_way(doctor, &view);
    doctor_check(doctor, "alerts_firing", "system", "Is an alert firing?");
    for (int i = 0; i < ALERTS; i++) {
        firing += view.states[i].is_firing ? 1 : 0;
        if (view.states[i].is_firing) {
            bool is_critical = alert_rules[i].severity[0] == 'c';

            (void)doctor_find(doctor, is_critical ? DOCTOR_CRITICAL : DOCTOR_WARNING, alert_rules[i].what_to_do,
                              "the alert %s is firing", alert_rules[i].name);
            doctor_found(doctor);
        }
    }
    doctor_looked(doctor, "%d of %d alerts are firing", firing, (int)ALERTS);
}
