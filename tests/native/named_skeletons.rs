//! More skeletons whose joints map to roles by name: those of capture systems, body models, game engines and rigging
//! tools, as people export them. Format as in `known_skeletons`.

/// Each skeleton: its source; its joint hierarchy; the joints of all roles in the order of `Role::ALL`.
pub const NAMED_SKELETONS: &[(&str, &str, &str)] = &[
    (
        "mGear",
        "spine_C0_pelvis_jnt(leg_L0_0_jnt(leg_L0_1_jnt(leg_L0_end_jnt(foot_L0_0_jnt))),leg_R0_0_jnt(leg_R0_1_jnt(
         leg_R0_end_jnt(foot_R0_0_jnt))),spine_C0_0_jnt(spine_C0_1_jnt(spine_C0_2_jnt(neck_C0_0_jnt(neck_C0_head_jnt),
         shoulder_L0_shoulder_jnt(arm_L0_0_jnt(arm_L0_1_jnt(arm_L0_end_jnt))),shoulder_R0_shoulder_jnt(arm_R0_0_jnt(
         arm_R0_1_jnt(arm_R0_end_jnt)))))))",
        "spine_C0_pelvis_jnt,leg_L0_0_jnt,leg_L0_1_jnt,leg_L0_end_jnt,foot_L0_0_jnt,leg_R0_0_jnt,leg_R0_1_jnt,
         leg_R0_end_jnt,foot_R0_0_jnt,spine_C0_0_jnt,spine_C0_1_jnt,spine_C0_2_jnt,neck_C0_0_jnt,neck_C0_head_jnt,
         shoulder_L0_shoulder_jnt,arm_L0_0_jnt,arm_L0_1_jnt,arm_L0_end_jnt,shoulder_R0_shoulder_jnt,arm_R0_0_jnt,
         arm_R0_1_jnt,arm_R0_end_jnt",
    ),
    (
        "FreeMoCap",
        "pelvis(thigh.L(shin.L(foot.L)),thigh.R(shin.R(foot.R)),spine(spine.001(neck(face),shoulder.L(upper_arm.L(
         forearm.L)),shoulder.R(upper_arm.R(forearm.R)))))",
        "pelvis,thigh.L,shin.L,foot.L,-,thigh.R,shin.R,foot.R,-,spine,-,spine.001,neck,face,shoulder.L,upper_arm.L,
         forearm.L,-,shoulder.R,upper_arm.R,forearm.R,-",
    ),
    (
        "SOMA, Kimodo",
        "Root(Hips(Spine1(Spine2(Chest(Neck1(Neck2(Head(HeadEnd,Jaw,LeftEye,RightEye))),LeftShoulder(LeftArm(
         LeftForeArm(LeftHand(LeftHandThumbEnd,LeftHandMiddleEnd)))),RightShoulder(RightArm(RightForeArm(RightHand(
         RightHandThumbEnd,RightHandMiddleEnd))))))),LeftLeg(LeftShin(LeftFoot(LeftToeBase(LeftToeEnd)))),RightLeg(
         RightShin(RightFoot(RightToeBase(RightToeEnd))))))",
        "Hips,LeftLeg,LeftShin,LeftFoot,LeftToeBase,RightLeg,RightShin,RightFoot,RightToeBase,Spine1,Spine2,Chest,Neck1,
         Head,LeftShoulder,LeftArm,LeftForeArm,LeftHand,RightShoulder,RightArm,RightForeArm,RightHand",
    ),
    (
        "SMPL-X",
        "pelvis(left_hip(left_knee(left_ankle(left_foot))),right_hip(right_knee(right_ankle(right_foot))),spine1(spine2(
         spine3(neck(head(jaw,left_eye_smplhf,right_eye_smplhf)),left_collar(left_shoulder(left_elbow(left_wrist(
         left_index1(left_index2(left_index3)),left_thumb1)))),right_collar(right_shoulder(right_elbow(
         right_wrist(right_index1))))))))",
        "pelvis,left_hip,left_knee,left_ankle,left_foot,right_hip,right_knee,right_ankle,right_foot,spine1,spine2,spine3,
         neck,head,left_collar,left_shoulder,left_elbow,left_wrist,right_collar,right_shoulder,right_elbow,right_wrist",
    ),
    (
        "HY-Motion (SMPL-H)",
        "Pelvis(L_Hip(L_Knee(L_Ankle(L_Foot))),R_Hip(R_Knee(R_Ankle(R_Foot))),Spine1(Spine2(Spine3(Neck(Head),L_Collar(
         L_Shoulder(L_Elbow(L_Wrist(L_Index1(L_Index2(L_Index3)),L_Middle1,L_Pinky1,L_Ring1,L_Thumb1)))),R_Collar(
         R_Shoulder(R_Elbow(R_Wrist(R_Index1(R_Index2)))))))))",
        "Pelvis,L_Hip,L_Knee,L_Ankle,L_Foot,R_Hip,R_Knee,R_Ankle,R_Foot,Spine1,Spine2,Spine3,Neck,Head,L_Collar,
         L_Shoulder,L_Elbow,L_Wrist,R_Collar,R_Shoulder,R_Elbow,R_Wrist",
    ),
    (
        "Xsens MVN",
        "Pelvis(L5(L3(T12(T8(Neck(Head),Right Shoulder(Right Upper Arm(Right Forearm(Right Hand))),Left Shoulder(
         Left Upper Arm(Left Forearm(Left Hand))))))),Right Upper Leg(Right Lower Leg(Right Foot(Right Toe))),
         Left Upper Leg(Left Lower Leg(Left Foot(Left Toe))))",
        "Pelvis,Left Upper Leg,Left Lower Leg,Left Foot,Left Toe,Right Upper Leg,Right Lower Leg,Right Foot,Right Toe,L5,
         T12,T8,Neck,Head,Left Shoulder,Left Upper Arm,Left Forearm,Left Hand,Right Shoulder,Right Upper Arm,
         Right Forearm,Right Hand",
    ),
    (
        "Noitom Axis Neuron",
        "Robot_Hips(Robot_RightUpLeg(Robot_RightLeg(Robot_RightFoot)),Robot_LeftUpLeg(Robot_LeftLeg(Robot_LeftFoot)),
         Robot_Spine(Robot_Spine1(Robot_Spine2(Robot_Spine3(Robot_Neck(Robot_Head),Robot_RightShoulder(Robot_RightArm(
         Robot_RightForeArm(Robot_RightHand(Robot_RightHandThumb1,Robot_RightInHandIndex(Robot_RightHandIndex1))))),
         Robot_LeftShoulder(Robot_LeftArm(Robot_LeftForeArm(Robot_LeftHand(Robot_LeftInHandIndex(
         Robot_LeftHandIndex1))))))))))",
        "Robot_Hips,Robot_LeftUpLeg,Robot_LeftLeg,Robot_LeftFoot,-,Robot_RightUpLeg,Robot_RightLeg,Robot_RightFoot,-,
         Robot_Spine,Robot_Spine2,Robot_Spine3,Robot_Neck,Robot_Head,Robot_LeftShoulder,Robot_LeftArm,
         Robot_LeftForeArm,Robot_LeftHand,Robot_RightShoulder,Robot_RightArm,Robot_RightForeArm,Robot_RightHand",
    ),
    (
        "Nokov XINGYING, prefix of the subject",
        "Skeleton0_Hips(Skeleton0_LeftUpLeg(Skeleton0_LeftLeg(Skeleton0_LeftFoot(Skeleton0_LeftToeBase))),
         Skeleton0_RightUpLeg(Skeleton0_RightLeg(Skeleton0_RightFoot(Skeleton0_RightToeBase))),Skeleton0_Spine(
         Skeleton0_Spine1(Skeleton0_Neck(Skeleton0_Head),Skeleton0_LeftShoulder(Skeleton0_LeftArm(
         Skeleton0_LeftForeArm(Skeleton0_LeftHand))),Skeleton0_RightShoulder(Skeleton0_RightArm(
         Skeleton0_RightForeArm(Skeleton0_RightHand))))))",
        "Skeleton0_Hips,Skeleton0_LeftUpLeg,Skeleton0_LeftLeg,Skeleton0_LeftFoot,Skeleton0_LeftToeBase,
         Skeleton0_RightUpLeg,Skeleton0_RightLeg,Skeleton0_RightFoot,Skeleton0_RightToeBase,Skeleton0_Spine,-,
         Skeleton0_Spine1,Skeleton0_Neck,Skeleton0_Head,Skeleton0_LeftShoulder,Skeleton0_LeftArm,
         Skeleton0_LeftForeArm,Skeleton0_LeftHand,Skeleton0_RightShoulder,Skeleton0_RightArm,Skeleton0_RightForeArm,
         Skeleton0_RightHand",
    ),
    (
        "MikuMikuDance",
        "全ての親(センター(グルーブ(腰(上半身(上半身2(首(頭(左目,右目,両目)),左肩(左腕(左腕捩,左ひじ(左手首(左人指１(
         左人指２))))),右肩(右腕(右腕捩,右ひじ(右手首))))),下半身(左足(左ひざ(左足首(左つま先))),右足(右ひざ(右足首(
         右つま先)))))),左足ＩＫ,右足ＩＫ))",
        "腰,左足,左ひざ,左足首,左つま先,右足,右ひざ,右足首,右つま先,上半身,-,上半身2,首,頭,左肩,左腕,左ひじ,左手首,右肩,右腕,
         右ひじ,右手首",
    ),
    (
        "MikuMikuDance, English names",
        "center(upper body(upper body2(neck(head),shoulder_L(arm_L(elbow_L(wrist_L))),shoulder_R(arm_R(elbow_R(
         wrist_R))))),lower body(leg_L(knee_L(ankle_L)),leg_R(knee_R(ankle_R))))",
        "center,leg_L,knee_L,ankle_L,-,leg_R,knee_R,ankle_R,-,upper body,-,upper body2,neck,head,shoulder_L,arm_L,
         elbow_L,wrist_L,shoulder_R,arm_R,elbow_R,wrist_R",
    ),
    (
        "VRChat, Cats",
        "Hips(Spine(Chest(Neck(Head(Eye_L,Eye_R)),Left shoulder(Left arm(Left elbow(Left wrist(Thumb0_L,IndexFinger1_L)))),
         Right shoulder(Right arm(Right elbow(Right wrist))))),Left leg(Left knee(Left ankle(Left toe))),Right leg(
         Right knee(Right ankle(Right toe))))",
        "Hips,Left leg,Left knee,Left ankle,Left toe,Right leg,Right knee,Right ankle,Right toe,Spine,-,Chest,Neck,Head,
         Left shoulder,Left arm,Left elbow,Left wrist,Right shoulder,Right arm,Right elbow,Right wrist",
    ),
    (
        "Roblox R15",
        "HumanoidRootPart(LowerTorso(UpperTorso(Head,LeftUpperArm(LeftLowerArm(LeftHand)),RightUpperArm(RightLowerArm(
         RightHand))),LeftUpperLeg(LeftLowerLeg(LeftFoot)),RightUpperLeg(RightLowerLeg(RightFoot))))",
        "LowerTorso,LeftUpperLeg,LeftLowerLeg,LeftFoot,-,RightUpperLeg,RightLowerLeg,RightFoot,-,UpperTorso,-,-,-,Head,-,
         LeftUpperArm,LeftLowerArm,LeftHand,-,RightUpperArm,RightLowerArm,RightHand",
    ),
    (
        "Unreal 5",
        "root(pelvis(spine_01(spine_02(spine_03(spine_04(spine_05(neck_01(neck_02(head)),clavicle_l(upperarm_l(
         upperarm_twist_01_l,upperarm_correctiveRoot_l,lowerarm_l(lowerarm_twist_02_l,hand_l(index_metacarpal_l(
         index_01_l))))),clavicle_r(upperarm_r(lowerarm_r(hand_r)))))))),thigh_l(thigh_twist_01_l,calf_l(
         calf_twist_02_l,foot_l(ball_l))),thigh_r(calf_r(foot_r(ball_r)))),ik_foot_root(ik_foot_l,ik_foot_r))",
        "pelvis,thigh_l,calf_l,foot_l,ball_l,thigh_r,calf_r,foot_r,ball_r,spine_01,spine_03,spine_05,neck_01,head,
         clavicle_l,upperarm_l,lowerarm_l,hand_l,clavicle_r,upperarm_r,lowerarm_r,hand_r",
    ),
    (
        "Rigify, deforming bones",
        "root(DEF-spine(DEF-spine.001(DEF-spine.002(DEF-spine.003(DEF-spine.004(DEF-spine.006),DEF-shoulder.L(
         DEF-upper_arm.L(DEF-upper_arm.L.001(DEF-forearm.L(DEF-forearm.L.001(DEF-hand.L(DEF-f_index.01.L)))))),
         DEF-shoulder.R(DEF-upper_arm.R(DEF-upper_arm.R.001(DEF-forearm.R(DEF-forearm.R.001(DEF-hand.R)))))))),
         DEF-pelvis.L,DEF-pelvis.R,DEF-thigh.L(DEF-thigh.L.001(DEF-shin.L(DEF-shin.L.001(DEF-foot.L(DEF-toe.L))))),
         DEF-thigh.R(DEF-thigh.R.001(DEF-shin.R(DEF-shin.R.001(DEF-foot.R(DEF-toe.R)))))))",
        "DEF-spine,DEF-thigh.L,DEF-shin.L,DEF-foot.L,DEF-toe.L,DEF-thigh.R,DEF-shin.R,DEF-foot.R,DEF-toe.R,DEF-spine.001,
         DEF-spine.002,DEF-spine.003,DEF-spine.004,DEF-spine.006,DEF-shoulder.L,DEF-upper_arm.L,DEF-forearm.L,
         DEF-hand.L,DEF-shoulder.R,DEF-upper_arm.R,DEF-forearm.R,DEF-hand.R",
    ),
    (
        "Advanced Skeleton",
        "Root_M(Hip_R(HipPart1_R(HipPart2_R(Knee_R(KneePart1_R(Ankle_R(Toes_R(ToesEnd_R))))))),RootPart1_M(Spine1_M(
         Spine1Part1_M(Chest_M(Neck_M(Head_M(Jaw_M,Eye_R,Eye_L)),Scapula_R(Shoulder_R(ShoulderPart1_R(Elbow_R(
         ElbowPart1_R(Wrist_R(IndexFinger1_R)))))),Scapula_L(Shoulder_L(ShoulderPart1_L(Elbow_L(ElbowPart1_L(
         Wrist_L))))))))),Hip_L(HipPart1_L(HipPart2_L(Knee_L(KneePart1_L(Ankle_L(Toes_L(ToesEnd_L))))))))",
        "Root_M,Hip_L,Knee_L,Ankle_L,Toes_L,Hip_R,Knee_R,Ankle_R,Toes_R,Spine1_M,-,Chest_M,Neck_M,Head_M,Scapula_L,
         Shoulder_L,Elbow_L,Wrist_L,Scapula_R,Shoulder_R,Elbow_R,Wrist_R",
    ),
    (
        "Daz Genesis 8",
        "hip(pelvis(lThighBend(lThighTwist(lShin(lFoot(lMetatarsals(lToe(lBigToe)))))),rThighBend(rThighTwist(rShin(rFoot(
         rMetatarsals(rToe)))))),abdomenLower(abdomenUpper(chestLower(chestUpper(lCollar(lShldrBend(lShldrTwist(
         lForearmBend(lForearmTwist(lHand(lThumb1,lCarpal1(lIndex1))))))),rCollar(rShldrBend(rShldrTwist(rForearmBend(
         rForearmTwist(rHand))))),neckLower(neckUpper(head(lEye,rEye))))))))",
        "hip,lThighBend,lShin,lFoot,lToe,rThighBend,rShin,rFoot,rToe,abdomenLower,chestLower,chestUpper,neckLower,head,
         lCollar,lShldrBend,lForearmBend,lHand,rCollar,rShldrBend,rForearmBend,rHand",
    ),
    (
        "Character Creator",
        "CC_Base_BoneRoot(CC_Base_Hip(CC_Base_Pelvis(CC_Base_L_Thigh(CC_Base_L_ThighTwist01,CC_Base_L_Calf(
         CC_Base_L_CalfTwist01,CC_Base_L_Foot(CC_Base_L_ToeBaseShareBone,CC_Base_L_ToeBase))),CC_Base_R_Thigh(
         CC_Base_R_Calf(CC_Base_R_Foot(CC_Base_R_ToeBase)))),CC_Base_Waist(CC_Base_Spine01(CC_Base_Spine02(
         CC_Base_NeckTwist01(CC_Base_NeckTwist02(CC_Base_Head(CC_Base_JawRoot,CC_Base_L_Eye,CC_Base_R_Eye))),
         CC_Base_L_Clavicle(CC_Base_L_Upperarm(CC_Base_L_UpperarmTwist01,CC_Base_L_Forearm(CC_Base_L_Hand(
         CC_Base_L_Mid1,CC_Base_L_Index1)))),CC_Base_R_Clavicle(CC_Base_R_Upperarm(CC_Base_R_Forearm(
         CC_Base_R_Hand))))))))",
        "CC_Base_Hip,CC_Base_L_Thigh,CC_Base_L_Calf,CC_Base_L_Foot,CC_Base_L_ToeBase,CC_Base_R_Thigh,CC_Base_R_Calf,
         CC_Base_R_Foot,CC_Base_R_ToeBase,CC_Base_Waist,CC_Base_Spine01,CC_Base_Spine02,CC_Base_NeckTwist01,CC_Base_Head,
         CC_Base_L_Clavicle,CC_Base_L_Upperarm,CC_Base_L_Forearm,CC_Base_L_Hand,CC_Base_R_Clavicle,CC_Base_R_Upperarm,
         CC_Base_R_Forearm,CC_Base_R_Hand",
    ),
    (
        "MakeHuman",
        "root(pelvis.L(upperleg01.L(upperleg02.L(lowerleg01.L(lowerleg02.L(foot.L(toe1-1.L,toe2-1.L)))))),pelvis.R(
         upperleg01.R(upperleg02.R(lowerleg01.R(lowerleg02.R(foot.R(toe1-1.R)))))),spine05(spine04(spine03(spine02(
         spine01(clavicle.L(shoulder01.L(upperarm01.L(upperarm02.L(lowerarm01.L(lowerarm02.L(wrist.L(
         finger1-1.L))))))),clavicle.R(shoulder01.R(upperarm01.R(upperarm02.R(lowerarm01.R(lowerarm02.R(
         wrist.R)))))),neck01(neck02(neck03(head)))))))))",
        "root,upperleg01.L,lowerleg01.L,foot.L,toe1-1.L,upperleg01.R,lowerleg01.R,foot.R,toe1-1.R,spine05,spine03,spine01,
         neck01,head,clavicle.L,upperarm01.L,lowerarm01.L,wrist.L,clavicle.R,upperarm01.R,lowerarm01.R,wrist.R",
    ),
    (
        "Source engine",
        "ValveBiped.Bip01_Pelvis(ValveBiped.Bip01_Spine(ValveBiped.Bip01_Spine1(ValveBiped.Bip01_Spine4(
         ValveBiped.Bip01_Neck1(ValveBiped.Bip01_Head1),ValveBiped.Bip01_L_Clavicle(ValveBiped.Bip01_L_UpperArm(
         ValveBiped.Bip01_L_Forearm(ValveBiped.Bip01_L_Hand(ValveBiped.Bip01_L_Finger0)))),ValveBiped.Bip01_R_Clavicle(
         ValveBiped.Bip01_R_UpperArm(ValveBiped.Bip01_R_Forearm(ValveBiped.Bip01_R_Hand)))))),ValveBiped.Bip01_L_Thigh(
         ValveBiped.Bip01_L_Calf(ValveBiped.Bip01_L_Foot(ValveBiped.Bip01_L_Toe0))),ValveBiped.Bip01_R_Thigh(
         ValveBiped.Bip01_R_Calf(ValveBiped.Bip01_R_Foot(ValveBiped.Bip01_R_Toe0))))",
        "ValveBiped.Bip01_Pelvis,ValveBiped.Bip01_L_Thigh,ValveBiped.Bip01_L_Calf,ValveBiped.Bip01_L_Foot,
         ValveBiped.Bip01_L_Toe0,ValveBiped.Bip01_R_Thigh,ValveBiped.Bip01_R_Calf,ValveBiped.Bip01_R_Foot,
         ValveBiped.Bip01_R_Toe0,ValveBiped.Bip01_Spine,ValveBiped.Bip01_Spine1,ValveBiped.Bip01_Spine4,
         ValveBiped.Bip01_Neck1,ValveBiped.Bip01_Head1,ValveBiped.Bip01_L_Clavicle,ValveBiped.Bip01_L_UpperArm,
         ValveBiped.Bip01_L_Forearm,ValveBiped.Bip01_L_Hand,ValveBiped.Bip01_R_Clavicle,ValveBiped.Bip01_R_UpperArm,
         ValveBiped.Bip01_R_Forearm,ValveBiped.Bip01_R_Hand",
    ),
    (
        "Kinect",
        "SpineBase(SpineMid(SpineShoulder(Neck(Head),ShoulderLeft(ElbowLeft(WristLeft(HandLeft(HandTipLeft),ThumbLeft))),
         ShoulderRight(ElbowRight(WristRight(HandRight))))),HipLeft(KneeLeft(AnkleLeft(FootLeft))),HipRight(KneeRight(
         AnkleRight(FootRight))))",
        "SpineBase,HipLeft,KneeLeft,AnkleLeft,FootLeft,HipRight,KneeRight,AnkleRight,FootRight,SpineMid,-,SpineShoulder,
         Neck,Head,-,ShoulderLeft,ElbowLeft,WristLeft,-,ShoulderRight,ElbowRight,WristRight",
    ),
    (
        "ARKit",
        "root(hips_joint(left_upLeg_joint(left_leg_joint(left_foot_joint(left_toes_joint(left_toesEnd_joint)))),
         right_upLeg_joint(right_leg_joint(right_foot_joint(right_toes_joint))),spine_1_joint(spine_4_joint(
         spine_7_joint(left_shoulder_1_joint(left_arm_joint(left_forearm_joint(left_hand_joint(
         left_handIndexStart_joint(left_handIndex_1_joint))))),neck_1_joint(neck_4_joint(head_joint(jaw_joint))),
         right_shoulder_1_joint(right_arm_joint(right_forearm_joint(right_hand_joint))))))))",
        "hips_joint,left_upLeg_joint,left_leg_joint,left_foot_joint,left_toes_joint,right_upLeg_joint,right_leg_joint,
         right_foot_joint,right_toes_joint,spine_1_joint,spine_4_joint,spine_7_joint,neck_1_joint,head_joint,
         left_shoulder_1_joint,left_arm_joint,left_forearm_joint,left_hand_joint,right_shoulder_1_joint,
         right_arm_joint,right_forearm_joint,right_hand_joint",
    ),
    (
        "Auto-Rig Pro",
        "root.x(spine_01.x(spine_02.x(spine_03.x(neck.x(head.x),shoulder.l(arm_stretch.l(arm_twist.l,forearm_stretch.l(
         forearm_twist.l,hand.l(c_thumb1.l)))),shoulder.r(arm_stretch.r(forearm_stretch.r(hand.r)))))),thigh_stretch.l(
         thigh_twist.l,leg_stretch.l(leg_twist.l,foot.l(toes_01.l))),thigh_stretch.r(leg_stretch.r(foot.r(toes_01.r))))",
        "root.x,thigh_stretch.l,leg_stretch.l,foot.l,toes_01.l,thigh_stretch.r,leg_stretch.r,foot.r,toes_01.r,spine_01.x,
         spine_02.x,spine_03.x,neck.x,head.x,shoulder.l,arm_stretch.l,forearm_stretch.l,hand.l,shoulder.r,arm_stretch.r,
         forearm_stretch.r,hand.r",
    ),
    (
        "Second Life",
        "mPelvis(mTorso(mChest(mNeck(mHead(mEyeLeft,mEyeRight)),mCollarLeft(mShoulderLeft(mElbowLeft(mWristLeft))),
         mCollarRight(mShoulderRight(mElbowRight(mWristRight))))),mHipLeft(mKneeLeft(mAnkleLeft(mFootLeft(mToeLeft)))),
         mHipRight(mKneeRight(mAnkleRight(mFootRight(mToeRight)))))",
        "mPelvis,mHipLeft,mKneeLeft,mAnkleLeft,mToeLeft,mHipRight,mKneeRight,mAnkleRight,mToeRight,mTorso,-,mChest,mNeck,
         mHead,mCollarLeft,mShoulderLeft,mElbowLeft,mWristLeft,mCollarRight,mShoulderRight,mElbowRight,mWristRight",
    ),
    (
        "DeepMotion",
        "hips_JNT(l_upleg_JNT(l_leg_JNT(l_foot_JNT(l_toebase_JNT))),r_upleg_JNT(r_leg_JNT(r_foot_JNT(r_toebase_JNT))),
         spine_JNT(spine1_JNT(spine2_JNT(neck_JNT(head_JNT),l_shoulder_JNT(l_arm_JNT(l_forearm_JNT(l_hand_JNT(
         l_handIndex1_JNT)))),r_shoulder_JNT(r_arm_JNT(r_forearm_JNT(r_hand_JNT)))))))",
        "hips_JNT,l_upleg_JNT,l_leg_JNT,l_foot_JNT,l_toebase_JNT,r_upleg_JNT,r_leg_JNT,r_foot_JNT,r_toebase_JNT,spine_JNT,
         spine1_JNT,spine2_JNT,neck_JNT,head_JNT,l_shoulder_JNT,l_arm_JNT,l_forearm_JNT,l_hand_JNT,r_shoulder_JNT,
         r_arm_JNT,r_forearm_JNT,r_hand_JNT",
    ),
    (
        "XNALara",
        "root hips(pelvis(leg left thigh(leg left knee(leg left ankle(leg left toes))),leg right thigh(leg right knee(
         leg right ankle(leg right toes)))),spine lower(spine upper(head neck lower(head neck upper),
         arm left shoulder 1(arm left shoulder 2(arm left elbow(arm left wrist(arm left finger 1a)))),
         arm right shoulder 1(arm right shoulder 2(arm right elbow(arm right wrist))))))",
        "root hips,leg left thigh,leg left knee,leg left ankle,leg left toes,leg right thigh,leg right knee,
         leg right ankle,leg right toes,spine lower,-,spine upper,head neck lower,head neck upper,arm left shoulder 1,
         arm left shoulder 2,arm left elbow,arm left wrist,arm right shoulder 1,arm right shoulder 2,arm right elbow,
         arm right wrist",
    ),
    (
        "HumanIK, roll bones in the limbs",
        "Reference(Hips(LeftUpLeg(LeftUpLegRoll(LeftLeg(LeftLegRoll(LeftFoot(LeftToeBase))))),RightUpLeg(RightUpLegRoll(
         RightLeg(RightLegRoll(RightFoot(RightToeBase))))),Spine(Spine1(Neck(Head),LeftShoulder(LeftArm(LeftArmRoll(
         LeftForeArm(LeftForeArmRoll(LeftHand(LeftInHandIndex(LeftHandIndex1))))))),RightShoulder(RightArm(RightArmRoll(
         RightForeArm(RightForeArmRoll(RightHand)))))))))",
        "Hips,LeftUpLeg,LeftLeg,LeftFoot,LeftToeBase,RightUpLeg,RightLeg,RightFoot,RightToeBase,Spine,-,Spine1,Neck,Head,
         LeftShoulder,LeftArm,LeftForeArm,LeftHand,RightShoulder,RightArm,RightForeArm,RightHand",
    ),
    (
        "KayKit",
        "root(hips(spine(chest(upperarm.l(lowerarm.l(wrist.l(hand.l(handslot.l)))),upperarm.r(lowerarm.r(wrist.r(hand.r(
         handslot.r)))),head)),upperleg.l(lowerleg.l(foot.l(toes.l))),upperleg.r(lowerleg.r(foot.r(toes.r)))),
         kneeIK.l,control-toe-roll.l(control-heel-roll.l(IK-foot.l)),elbowIK.l,handIK.l)",
        "hips,upperleg.l,lowerleg.l,foot.l,toes.l,upperleg.r,lowerleg.r,foot.r,toes.r,spine,-,chest,-,head,-,upperarm.l,
         lowerarm.l,wrist.l,-,upperarm.r,lowerarm.r,wrist.r",
    ),
];
