//! `AGENT_CALL`: an objective for an agent, under a part of the grant.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use plan_run::{AgentEffect, FailureClass};
use plan_validate::Narrowing;

use crate::agent::{AgentRunner, AgentTask, AgentTools, Desk, Guard, LoopAgent};
use crate::drive::Drive;
use crate::drive::dispatch::Takeoff;
use crate::drive::lending::Lent;
use crate::drive::outcome::{Reach, Returned};
use crate::executor::Shared;
use crate::spans;

impl Drive {
    /// Hands the objective of an attempt to its agent.
    pub(super) fn run_agent(&mut self, takeoff: Takeoff, mut effect: AgentEffect, lent: &Lent) {
        let Some(runner) = self.shared.agent(effect.agent.as_ref()) else {
            let message = "nothing runs the agent".to_owned();
            self.ground(takeoff, FailureClass::NotFound, message);
            return;
        };
        // a secret that a call gave away goes no further
        let redactor = self.lending.redactor();
        redactor.text(&mut effect.objective);
        let mut narrowing = Narrowing::default();
        narrowing.steps = Some([takeoff.step.step().clone()].into());
        narrowing.tools = Some(effect.tools.iter().cloned().collect());
        narrowing.secrets = Some([].into());
        let guard = Guard {
            step: takeoff.step.step().clone(),
            grant: self.plan.grant().narrow(&narrowing),
            registry: self.shared.tools.clone(),
            cx: takeoff.cx.clone(),
            cancellation: takeoff.cancellation().clone(),
            limits: self.shared.policy.limits,
            grace: self.shared.grace,
            redactor,
            desk: Desk {
                words: self.agents.sender(),
            },
            tokens: effect.tokens,
            used: AtomicU64::new(0),
            acted: AtomicBool::new(false),
            turns: Arc::clone(&self.shared.turns),
            lent: lent.clone(),
        };
        let span = spans::agent(&takeoff.span, takeoff.attempt, effect.agent.as_ref());
        let task = AgentTask {
            agent: effect.agent,
            objective: effect.objective,
            working_dir: effect.working_dir,
            outputs: effect.outputs,
            max_turns: effect.max_turns,
            timeout: takeoff.limit,
            tools: AgentTools::guarded(guard),
        };
        let cx = takeoff.cx.clone();
        let call = async move { runner.run(task, &cx).await.map(Returned::Agent) };
        self.fly(takeoff, Reach::Writes, span, call);
    }
}

impl Shared {
    /// What runs an agent: an implementation, or the loop that the catalog describes.
    pub(crate) fn agent(
        &self,
        name: Option<&plan_model::AgentName>,
    ) -> Option<Arc<dyn AgentRunner>> {
        if let Some(runner) = self.tools.agent_runner(name) {
            return Some(Arc::clone(runner));
        }
        let spec = self.tools.catalog().agents().get(name?)?;
        if spec.kind != plan_validate::AgentKind::Loop {
            return None;
        }
        let model = spec.model.as_ref()?;
        let answers = self.models.get(model)?;
        Some(Arc::new(LoopAgent::new(model.clone(), Arc::clone(answers))))
    }
}
